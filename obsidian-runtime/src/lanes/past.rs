//! Writing past the caches: an output too large for them is written line by line, and no line is read for it.
//!
//! In: a part of an output, in the first-level cache. Out: the same in memory. The streaming stores of x86-64 do it, which come
//! in any order until [`Past::finish`]; elsewhere nothing goes past the caches.

use std::mem::{MaybeUninit, size_of};

use super::units::{Unit, cpu};

/// Outputs of fewer bytes stay in the caches, where whoever reads them next finds them.
const MIN_BYTES: usize = 4 << 20;
/// A cache line, in bytes.
const LINE: usize = 64;

/// How an output is written.
#[derive(Debug, Clone, Copy)]
pub struct Past {
    /// Its elements, where it is to go past the caches; else none.
    elements: usize,
}

impl Past {
    /// Of what stays in the caches, whatever its size.
    pub const NEVER: Past = Past { elements: 0 };

    /// Of an output of `len` elements.
    #[inline]
    pub fn of<T>(_: *mut T, len: usize) -> Past {
        let large = cfg!(target_arch = "x86_64") && len.saturating_mul(size_of::<T>()) >= MIN_BYTES;
        Past { elements: if large && cpu() != Unit::Scalar { len } else { 0 } }
    }

    /// Whether `len` elements from `from` on are to be written as a [`Part`]: they lie in the output `out`, and are whole lines.
    #[inline(always)]
    pub fn takes<T>(self, out: *mut T, from: usize, len: usize) -> bool {
        let inside = from.checked_add(len).is_some_and(|end| end <= self.elements);
        inside && (out as usize).wrapping_add(from * size_of::<T>()).is_multiple_of(LINE)
    }

    /// Whether a vector of words at `p`, an element of the output, is to be written as whole lines.
    #[inline(always)]
    pub fn takes_lines(self, p: *mut u32) -> bool {
        self.elements > 0 && (p as usize).is_multiple_of(LINE)
    }

    /// All that was written comes before what this thread writes from now on.
    #[inline(always)]
    pub fn finish() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: SSE is part of x86-64.
        unsafe {
            std::arch::x86_64::_mm_sfence();
        }
    }
}

/// A part of an output, `N` elements in whole lines.
#[repr(align(64))]
#[derive(Debug)]
pub struct Part<T, const N: usize>([MaybeUninit<T>; N]);

impl<T: Copy, const N: usize> Part<T, N> {
    /// A part of which nothing is written.
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Part<T, N> {
        Part([const { MaybeUninit::uninit() }; N])
    }

    /// Its first element.
    #[inline(always)]
    pub fn start(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }

    /// Writes it to `out`.
    ///
    /// # Safety
    /// All its elements are written. They are whole cache lines, `out` begins a line, and all of them may be written there. A
    /// [`Past`] has taken it.
    #[inline(always)]
    pub unsafe fn flush(&self, out: *mut T) {
        // SAFETY: the caller's promise; only with AVX2 is anything taken.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            flush_lines(self.0.as_ptr().cast(), out.cast(), N * size_of::<T>() / LINE);
        }
        #[cfg(not(target_arch = "x86_64"))]
        // SAFETY: the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(self.0.as_ptr().cast(), out, N);
        }
    }
}

/// Writes lines past the caches.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn flush_lines(from: *const u8, to: *mut u8, lines: usize) {
    use std::arch::x86_64::{_mm256_load_si256, _mm256_stream_si256};
    for line in 0..lines {
        for half in [0, LINE / 2] {
            // SAFETY: the caller's promise: both are aligned as lines are.
            unsafe {
                let at = line * LINE + half;
                _mm256_stream_si256(to.add(at).cast(), _mm256_load_si256(from.add(at).cast()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_inside_of_the_output_go_past() {
        let past = Past { elements: 1 << 20 };
        let [line, within] = [4096, 4100].map(std::ptr::without_provenance_mut::<u32>);
        assert!(past.takes(line, 0, 1 << 20) && past.takes(line, 16, 16));
        assert!(!past.takes(line, 8, 16) && !past.takes(within, 0, 16) && past.takes(within, 15, 16));
        assert!(!past.takes(line, (1 << 20) - 16, 32) && !past.takes(line, usize::MAX, 16));
        assert!(!Past { elements: 0 }.takes(line, 0, 16));
    }

    #[test]
    fn small_outputs_stay() {
        // The compiler prints no code for smaller ones. The tuner compiles this file without that crate.
        assert_eq!(MIN_BYTES, obsidian_abi::MIN_BYTES_PAST_CACHES);
        assert_eq!(Past::of(std::ptr::null_mut::<u64>(), MIN_BYTES / 8 - 1).elements, 0);
        assert_eq!(Past::of(std::ptr::null_mut::<u64>(), 0).elements, 0);
    }

    #[test]
    fn a_part_is_what_was_written_to_it() {
        if cpu() == Unit::Scalar {
            // Nothing is taken, so nothing is flushed.
            assert_eq!(Past::of(std::ptr::null_mut::<u64>(), MIN_BYTES).elements, 0);
            return;
        }
        #[repr(align(64))]
        struct Line([u16; 64]);
        let mut out = Line([7; 64]);
        let mut part = Part::<u16, 32>::new();
        for i in 0..32u16 {
            // SAFETY: 32 elements.
            unsafe { *part.start().add(usize::from(i)) = 100 + i };
        }
        // SAFETY: one line, the second of two.
        unsafe { part.flush(out.0.as_mut_ptr().add(32)) };
        Past::finish();
        assert!(out.0[..32].iter().all(|x| *x == 7) && (0..32).all(|i| out.0[32 + i] == 100 + i as u16));
    }
}
