//! Global memory: allocations that are far apart, so that an access past one is past all, and never twice at one address, so that
//! an access to one that was freed finds nothing.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;

/// Distance between allocations; each is aligned far beyond what any access needs.
const STRIDE: u64 = 1 << 36;

/// The global memory of a device.
#[derive(Debug, Default)]
pub struct Memory {
    allocations: BTreeMap<u64, Vec<u8>>,
    /// Addresses that were given out.
    given: u64,
    late: Option<Late>,
}

/// Memory whose stores are seen late, if at all.
struct Late {
    range: Range<u64>,
    /// All values that a word has had, the newest last.
    values: HashMap<u64, Vec<u64>>,
    stores: u64,
    choose: Box<dyn FnMut(usize) -> usize + Send>,
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Late({:?})", self.range)
    }
}

impl Memory {
    /// No allocation.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Makes an allocation that holds `bytes`; gives its address.
    pub fn allocate(&mut self, bytes: Vec<u8>) -> u64 {
        let at = self.reserve();
        self.fill(at, bytes);
        at
    }

    /// An address for an allocation to come: nothing is there before [`fill`](Memory::fill).
    pub fn reserve(&mut self) -> u64 {
        self.given += 1;
        STRIDE * self.given
    }

    /// Makes the allocation at a reserved address.
    pub fn fill(&mut self, at: u64, bytes: Vec<u8>) {
        self.allocations.insert(at, bytes);
    }

    /// From now on a load of a word of 64 bits among these `bytes` at `address` gives any of the values that the word has had:
    /// `choose` is given how many there are and gives which, 0 being the one of now, the last one the newest. Words are not torn, and
    /// an access that is not relaxed is a fault.
    pub fn delay(&mut self, address: u64, bytes: u64, choose: impl FnMut(usize) -> usize + Send + 'static) {
        self.late =
            Some(Late { range: address..address + bytes, values: HashMap::new(), stores: 0, choose: Box::new(choose) });
    }

    /// How many stores there were to words that are seen late.
    pub fn late_stores(&self) -> u64 {
        self.late.as_ref().map_or(0, |late| late.stores)
    }

    pub(crate) fn is_late(&self, address: u64) -> bool {
        self.late.as_ref().is_some_and(|late| late.range.contains(&address))
    }

    /// What a load of the word at `address` is to give in place of `newest`.
    pub(crate) fn seen(&mut self, address: u64, newest: u64) -> u64 {
        let Some(late) = self.late.as_mut().filter(|late| late.range.contains(&address)) else { return newest };
        let values = late.values.entry(address).or_insert_with(|| vec![newest]);
        let at = (late.choose)(values.len()).min(values.len() - 1);
        values[at]
    }

    /// Notes that the word at `address`, which was `before`, becomes `after`.
    pub(crate) fn becomes(&mut self, address: u64, before: u64, after: u64) {
        if let Some(late) = self.late.as_mut().filter(|late| late.range.contains(&address)) {
            late.stores += 1;
            late.values.entry(address).or_insert_with(|| vec![before]).push(after);
        }
    }

    /// Ends the allocation that begins at `at`; gives whether there was one.
    pub fn free(&mut self, at: u64) -> bool {
        self.allocations.remove(&at).is_some()
    }

    /// The bytes of the allocation at `address`; empty where there is none.
    pub fn bytes(&self, address: u64) -> &[u8] {
        self.allocations.get(&address).map_or(&[], Vec::as_slice)
    }

    /// Some bytes of one allocation; `None` where they are not all in it.
    pub fn slice(&mut self, address: u64, len: usize) -> Option<&mut [u8]> {
        let (&base, bytes) = self.allocations.range_mut(..=address).next_back()?;
        let start = usize::try_from(address - base).ok()?;
        bytes.get_mut(start..start.checked_add(len)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_is_any_value_so_far() {
        let mut memory = Memory::new();
        let at = memory.allocate(vec![0; 16]);
        let mut turn = 0;
        memory.delay(at, 8, move |n| {
            turn += 1;
            turn % n
        });
        memory.becomes(at, 0, 5);
        memory.becomes(at, 5, 6);
        assert_eq!([(); 3].map(|()| memory.seen(at, 6)), [5, 6, 0]);
        assert_eq!(memory.seen(at + 8, 9), 9, "outside of the range");
    }

    #[test]
    fn what_was_freed_is_nowhere() {
        let mut memory = Memory::new();
        let (a, b) = (memory.allocate(vec![1; 4]), memory.reserve());
        assert!(memory.slice(b, 1).is_none(), "reserved only");
        memory.fill(b, vec![2; 4]);
        assert!(memory.slice(b, 4).is_some() && memory.slice(b, 5).is_none() && memory.slice(b + 3, 1).is_some());
        assert!(memory.free(a) && !memory.free(a) && memory.slice(a, 1).is_none());
        assert_ne!(memory.allocate(vec![3; 4]), a, "an address is given once");
    }
}
