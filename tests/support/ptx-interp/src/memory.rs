//! Global memory: allocations that are far apart, so that an access past one is past all, and never twice at one address, so that
//! an access to one that was freed finds nothing.

use std::collections::BTreeMap;

/// Distance between allocations; each is aligned far beyond what any access needs.
const STRIDE: u64 = 1 << 36;

/// The global memory of a device.
#[derive(Debug, Default)]
pub struct Memory {
    allocations: BTreeMap<u64, Vec<u8>>,
    /// Addresses that were given out.
    given: u64,
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
