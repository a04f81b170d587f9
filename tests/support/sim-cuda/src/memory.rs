//! A device's memory and the host's page-locked memory: which addresses there are (known from the call that allocates to the
//! one that frees) and which hold bytes (from the time that the stream comes to the one, until it comes to the other).

use std::collections::BTreeMap;

use obsidian_ptx_interp::Memory;

use crate::status::{ILLEGAL_ADDRESS, INVALID_VALUE, OUT_OF_MEMORY, Status};

/// What memory holds before it is written: bits that no result should show.
const UNWRITTEN: u8 = 0xa5;

/// The memory of a device.
#[derive(Debug, Default)]
pub(crate) struct DeviceMemory {
    pub bytes: Memory,
    known: BTreeMap<u64, usize>,
    used: usize,
}

impl DeviceMemory {
    /// An address for `len` bytes, of which the device has `all`.
    pub(crate) fn reserve(&mut self, len: usize, all: usize) -> Result<u64, Status> {
        if len == 0 {
            return Err(INVALID_VALUE);
        }
        if len > all - self.used.min(all) {
            return Err(OUT_OF_MEMORY);
        }
        let at = self.bytes.reserve();
        self.used += len;
        self.known.insert(at, len);
        Ok(at)
    }

    /// The allocation at `at` is to be freed; gives its size.
    pub(crate) fn forget(&mut self, at: u64) -> Result<(), Status> {
        let len = self.known.remove(&at).ok_or(INVALID_VALUE)?;
        self.used -= len;
        Ok(())
    }

    pub(crate) fn free_bytes(&self, all: usize) -> usize {
        all - self.used.min(all)
    }

    /// What a call checks: whether the bytes are of one allocation that is known.
    pub(crate) fn check(&self, at: u64, len: usize) -> Result<(), Status> {
        let (&base, &all) = self.known.range(..=at).next_back().ok_or(INVALID_VALUE)?;
        let start = usize::try_from(at - base).map_err(|_| INVALID_VALUE)?;
        let end = start.checked_add(len).ok_or(INVALID_VALUE)?;
        if end <= all { Ok(()) } else { Err(INVALID_VALUE) }
    }

    /// The stream has come to the allocation.
    pub(crate) fn make(&mut self, at: u64, len: usize) {
        self.bytes.fill(at, vec![UNWRITTEN; len]);
    }

    /// The stream has come to the end of the allocation.
    pub(crate) fn end(&mut self, at: u64) -> Result<(), Status> {
        if self.bytes.free(at) { Ok(()) } else { Err(ILLEGAL_ADDRESS) }
    }

    /// Bytes that the device reads or writes now.
    pub(crate) fn slice(&mut self, at: u64, len: usize) -> Result<&mut [u8], Status> {
        self.bytes.slice(at, len).ok_or(ILLEGAL_ADDRESS)
    }
}

/// Page-locked memory of the host: its words, by their address.
#[derive(Debug, Default)]
pub(crate) struct PinnedMemory(BTreeMap<usize, Box<[u64]>>);

impl PinnedMemory {
    pub(crate) fn allocate(&mut self, len: usize) -> Result<usize, Status> {
        if len == 0 {
            return Err(INVALID_VALUE);
        }
        let mut words = Vec::new();
        words.try_reserve_exact(len.div_ceil(8)).map_err(|_| OUT_OF_MEMORY)?;
        words.resize(len.div_ceil(8), u64::from_ne_bytes([UNWRITTEN; 8]));
        let words = words.into_boxed_slice();
        let at = words.as_ptr() as usize;
        self.0.insert(at, words);
        Ok(at)
    }

    pub(crate) fn free(&mut self, at: usize) -> Result<(), Status> {
        self.0.remove(&at).map(|_| ()).ok_or(INVALID_VALUE)
    }

    /// Whether the bytes are of one allocation.
    pub(crate) fn has(&self, at: usize, len: usize) -> bool {
        let found = self.0.range(..=at).next_back();
        found.is_some_and(|(base, words)| (at - base).checked_add(len).is_some_and(|end| end <= 8 * words.len()))
    }
}
