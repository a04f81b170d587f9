//! Memory of the host: zeroed, aligned to a cache line, freed on drop. In: a number of bytes; out: slices of plain values.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::fmt;
use std::mem::size_of;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;

use half::{bf16, f16};

use crate::error::Error;

/// A type that is stored as it is; every bit pattern is a value of it.
///
/// # Safety
/// Only for types without padding and without invalid values, aligned to at most 64 bytes.
pub unsafe trait Stored: Copy + Send + Sync + 'static {}

macro_rules! stored {
    ($($ty:ty)+) => {$(
        // SAFETY: a number, primitive or (`f16`, `bf16`) a transparent `u16`: no padding, all bit patterns are values, alignment at most 8.
        unsafe impl Stored for $ty {}
    )+};
}

stored! { i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 }

/// Alignment of every field array: a cache line, and the widest vector register.
const ALIGN: usize = 64;
/// Alignment asked of the allocator. Above 16 the standard allocator zeroes by a pass of its own instead of taking
/// pages that the kernel has zeroed already, so the last step to `ALIGN` is done here.
const BASE_ALIGN: usize = 16;

/// From this many bytes on memory is asked for in huge pages.
const MIN_HUGE: usize = 8 << 20;
/// A huge page of x86-64, and of most others.
const HUGE_PAGE: usize = 2 << 20;

/// What keeps memory of others alive.
pub type Owner = Box<dyn Any + Send + Sync>;

/// Zero-initialised bytes, 64-byte aligned; or bytes of others, aligned for what is in them.
pub struct HostBytes {
    allocation: Option<(NonNull<u8>, Layout)>,
    start: NonNull<u8>,
    len: usize,
    /// Only for its end.
    #[allow(dead_code)]
    owner: Option<Owner>,
}

// SAFETY: it owns its memory, and hands out references by the usual rules of `&` and `&mut`.
unsafe impl Send for HostBytes {}
// SAFETY: as above.
unsafe impl Sync for HostBytes {}

impl HostBytes {
    /// `len` zero bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn allocate(len: usize) -> Result<HostBytes, Error> {
        HostBytes::zeroed(len).ok_or_else(|| Error::OutOfMemory { device: "the host".into(), bytes: len as u64 })
    }

    /// `len` zero bytes; `None` when the memory is not there.
    fn zeroed(len: usize) -> Option<HostBytes> {
        if len == 0 {
            let start = NonNull::new(std::ptr::without_provenance_mut(ALIGN))?;
            return Some(HostBytes { allocation: None, start, len, owner: None });
        }
        let layout = Layout::from_size_align(len.checked_add(ALIGN - BASE_ALIGN)?, BASE_ALIGN).ok()?;
        // SAFETY: the layout's size is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skip = base.as_ptr().align_offset(ALIGN);
        // SAFETY: `base` is 16-byte aligned, so `skip` is at most 48, and the allocation has that much to spare.
        let start = unsafe { base.add(skip) };
        if len >= MIN_HUGE {
            ask_for_huge_pages(start, len);
        }
        Some(HostBytes { allocation: Some((base, layout)), start, len, owner: None })
    }

    /// The caller's bytes, which may lie anywhere that suits their type.
    ///
    /// # Safety
    /// `bytes` outlive them, and nobody writes them meanwhile.
    pub unsafe fn borrowed(bytes: &[u8]) -> HostBytes {
        HostBytes { allocation: None, start: NonNull::from(bytes).cast(), len: bytes.len(), owner: None }
    }

    /// Bytes of others, which `owner` keeps.
    ///
    /// # Safety
    /// They are initialised, outlive this or are kept by the owner, and nothing else uses them meanwhile.
    pub unsafe fn of_others(start: NonNull<u8>, len: usize, owner: Option<Owner>) -> HostBytes {
        HostBytes { allocation: None, start, len, owner }
    }

    /// The bytes of `range`, which are there.
    ///
    /// # Safety
    /// `self` outlives them, and while they are lent nothing else that shares bytes with them is.
    pub unsafe fn part(&self, range: Range<usize>) -> HostBytes {
        debug_assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {} bytes", self.len);
        // SAFETY: the range lies in the bytes.
        HostBytes {
            allocation: None,
            start: unsafe { self.start.add(range.start) },
            len: range.end - range.start,
            owner: None,
        }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the bytes start. Kernels write through it while the buffer is borrowed mutably.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The same; of no bytes it is aligned and points to nothing.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// The bytes as whole values.
    pub fn values<S: Stored>(&self) -> &[S] {
        // SAFETY: the bytes are initialised, aligned for every `Stored`, any bits are a valid `S`; the length is
        // rounded down to whole values.
        unsafe { slice::from_raw_parts(self.start.as_ptr().cast(), self.len / size_of::<S>()) }
    }

    /// The bytes as whole values, to be written.
    pub fn values_mut<S: Stored>(&mut self) -> &mut [S] {
        // SAFETY: as in `values`; `&mut self` makes the borrow unique.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.len / size_of::<S>()) }
    }
}

impl Drop for HostBytes {
    fn drop(&mut self) {
        if let Some((base, layout)) = self.allocation {
            // SAFETY: allocated in `zeroed` with this layout, and freed only here.
            unsafe { dealloc(base.as_ptr(), layout) };
        }
    }
}

impl fmt::Debug for HostBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostBytes({} bytes)", self.len)
    }
}

/// Asks the system for huge pages where they fit into these bytes: it finds an address sooner, and zeroes 2 MiB at a time. Most
/// Linuxes leave the choice to the program. Whether they are given changes no value.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(start: NonNull<u8>, len: usize) {
    use std::ffi::{c_int, c_void};
    // SAFETY: the C library's, as its manual declares it.
    unsafe extern "C" {
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    let skip = start.as_ptr().align_offset(HUGE_PAGE);
    let whole = len.saturating_sub(skip) / HUGE_PAGE * HUGE_PAGE;
    if whole > 0 {
        // SAFETY: the range lies in the caller's bytes, and the advice changes none of them. An error is an advice not taken.
        unsafe { madvise(start.as_ptr().wrapping_add(skip).cast(), whole, MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: NonNull<u8>, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_ones_are_zero_and_can_be_written() {
        for len in [MIN_HUGE - 1, MIN_HUGE, MIN_HUGE + HUGE_PAGE + 65] {
            let mut bytes = HostBytes::zeroed(len).unwrap();
            assert!(bytes.values::<u8>().iter().all(|&byte| byte == 0));
            bytes.values_mut::<u8>().fill(7);
            assert!(bytes.values::<u8>().iter().all(|&byte| byte == 7));
        }
    }

    /// What the system notes of the mapping that an address lies in, by `proc_pid_smaps(5)`: `hg` where huge pages were asked for.
    #[cfg(target_os = "linux")]
    fn flags_at(address: usize) -> Option<String> {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let range = |line: &str| {
            let (from, to) = line.split(' ').next()?.split_once('-')?;
            Some(usize::from_str_radix(from, 16).ok()?..usize::from_str_radix(to, 16).ok()?)
        };
        let mut behind = maps.lines().skip_while(|line| !range(line).is_some_and(|range| range.contains(&address)));
        behind.find_map(|line| line.strip_prefix("VmFlags:")).map(str::to_owned)
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn huge_pages_are_asked_for() {
        let bytes = HostBytes::zeroed(MIN_HUGE).unwrap();
        let middle = bytes.as_ptr() as usize + MIN_HUGE / 2;
        let has_them = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        match flags_at(middle).filter(|_| has_them) {
            Some(flags) => assert!(flags.split(' ').any(|flag| flag == "hg"), "{flags}"),
            None => println!("SKIP: this Linux has no huge pages, or does not say where they were asked for"),
        }
    }

    #[test]
    fn aligned_and_zero() {
        for len in [1, 3, 63, 64, 65, 4096, 1 << 20] {
            let bytes = HostBytes::zeroed(len).unwrap();
            assert_eq!(bytes.as_ptr() as usize % ALIGN, 0);
            assert_eq!(bytes.len(), len);
            assert!(bytes.values::<u8>().iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn empty_and_impossible() {
        assert_eq!(HostBytes::zeroed(0).unwrap().values::<u64>(), &[]);
        assert!(HostBytes::zeroed(usize::MAX).is_none());
        assert!(HostBytes::zeroed(isize::MAX as usize - 64).is_none());
    }

    #[test]
    fn values_round_down() {
        let mut bytes = HostBytes::zeroed(9).unwrap();
        bytes.values_mut::<u32>()[1] = 7;
        assert_eq!(bytes.values::<u32>(), &[0, 7]);
    }
}
