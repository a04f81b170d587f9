//! Global memory: allocations that are far apart, so that an access past one is past all.

use std::collections::BTreeMap;

/// Distance between allocations; each is aligned far beyond what any access needs.
const STRIDE: u64 = 1 << 36;

/// The global memory of a device.
#[derive(Debug, Default)]
pub struct Memory {
    allocations: BTreeMap<u64, Vec<u8>>,
}

impl Memory {
    /// No allocation.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Makes an allocation that holds `bytes`; gives its address.
    pub fn allocate(&mut self, bytes: Vec<u8>) -> u64 {
        let at = STRIDE * (self.allocations.len() as u64 + 1);
        self.allocations.insert(at, bytes);
        at
    }

    /// The bytes of the allocation at `address`; empty where there is none.
    pub fn bytes(&self, address: u64) -> &[u8] {
        self.allocations.get(&address).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn slice(&mut self, address: u64, len: usize) -> Option<&mut [u8]> {
        let (&base, bytes) = self.allocations.range_mut(..=address).next_back()?;
        let start = usize::try_from(address - base).ok()?;
        bytes.get_mut(start..start.checked_add(len)?)
    }
}
