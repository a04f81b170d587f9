//! Lane groups: several threads of a block in step, each in a lane of a vector. What `kernel!` prints for the CPU is
//! written against [`Lanes`], once for all vector units; [`cpu`] says which the machine has.
//!
//! A value is a group of 32-bit words; which type they are is in the name of the operation. Every operation gives the bits that
//! the scalar one gives in each lane. All is `inline(always)`, so that it is compiled with the caller's instructions.
//!
//! Why not a crate: `wide` chooses its instructions when the program is built, `fearless_simd` has no AVX-512, and `pulp` has no
//! saturating casts and no permutations by constants; a user's build would pay for all of it.

/// The operations on masks of a type whose `Mask` is a `u16`, one bit for each of 16 lanes.
macro_rules! masks_of_16_bits {
    () => {
        #[inline(always)]
        unsafe fn mask(bits: u64) -> u16 {
            bits as u16
        }

        #[inline(always)]
        unsafe fn both(a: u16, b: u16) -> u16 {
            a & b
        }

        #[inline(always)]
        unsafe fn either(a: u16, b: u16) -> u16 {
            a | b
        }

        #[inline(always)]
        unsafe fn differ(a: u16, b: u16) -> u16 {
            a ^ b
        }

        #[inline(always)]
        unsafe fn not(a: u16) -> u16 {
            !a
        }

        #[inline(always)]
        unsafe fn any(m: u16) -> bool {
            m != 0
        }
    };
}

mod pair;
mod past;
mod portable;
#[cfg(test)]
mod tests;
mod units;
pub mod votes;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use pair::Pair;
pub use past::{Part, Past};
pub use portable::Portable;
pub use units::{Unit, cpu};
#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

/// Fetches the words of a group into the second-level cache, for a later block. A hint: the place need not be in any array.
#[inline(always)]
pub fn fetch<L: Lanes>(at: *const u32) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<L>().div_ceil(64) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and a fetch of what is not there does nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(at.wrapping_add(line * 16).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Fetches what [`Lanes::load_rows`] will load, as [`fetch`] does.
#[inline(always)]
pub fn fetch_rows(at: *const u32, rows: &[isize; SMALLEST]) {
    #[cfg(target_arch = "x86_64")]
    for row in rows {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(at.wrapping_offset(*row).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (at, rows);
}

/// Fetches the cache line of an element into the first-level cache, for a later thread. A hint: the place need not be in any array.
#[inline(always)]
pub fn fetch_one<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Lanes of the smallest group.
pub const SMALLEST: usize = 16;

/// A group of 32-bit words, one for each lane.
///
/// # Safety
/// Of all functions here: the machine has the instructions of the type, and a pointer is good for the lanes that are asked for.
#[allow(missing_docs, clippy::missing_safety_doc)]
pub trait Lanes: Copy {
    /// One truth value for each lane.
    type Mask: Copy;
    /// How many lanes there are.
    const LANES: usize;
    /// Whether code in lanes is faster than threads one by one.
    const FAST: bool;

    unsafe fn splat(x: u32) -> Self;
    unsafe fn load(p: *const u32) -> Self;
    unsafe fn store(self, p: *mut u32);
    /// Stores past the caches. `p` begins a cache line, and [`Past::finish`] comes before another thread reads the words.
    unsafe fn stream(self, p: *mut u32);
    /// Zero where the mask does not hold; nothing is read there.
    unsafe fn load_where(m: Self::Mask, p: *const u32) -> Self;
    unsafe fn store_where(self, m: Self::Mask, p: *mut u32);
    /// Lane `l` is element `order[l]` of `a` followed by `b`. Only for groups of [`SMALLEST`] lanes.
    unsafe fn permute(a: Self, b: Self, order: &[u32; SMALLEST]) -> Self;
    /// Lane `l` is word `at[l]`, which is below 2^31.
    unsafe fn gather(p: *const u32, at: Self) -> Self;
    /// Lane `l` of vector `k` is lane `k` of vector `l`. Only for groups of [`SMALLEST`] lanes, as what follows from it.
    unsafe fn transpose(rows: [Self; SMALLEST]) -> [Self; SMALLEST];

    /// Lane `l` of vector `k` is word `k` of the 16 from `p + at[l]` on.
    #[inline(always)]
    unsafe fn load_rows(p: *const u32, at: &[isize; SMALLEST]) -> [Self; SMALLEST] {
        unsafe {
            // No closure, which is compiled without the caller's instructions.
            let mut rows = [Self::load(p.offset(at[0])); SMALLEST];
            for l in 1..SMALLEST {
                rows[l] = Self::load(p.offset(at[l]));
            }
            Self::transpose(rows)
        }
    }

    /// Stores to an output: past the caches where that is how it is written and the words are whole lines.
    #[inline(always)]
    unsafe fn store_past(self, past: Past, p: *mut u32) {
        unsafe { if past.takes_lines(p) { self.stream(p) } else { self.store(p) } }
    }

    /// Stores what [`Lanes::load_rows`] loads.
    #[inline(always)]
    unsafe fn store_rows(words: [Self; SMALLEST], past: Past, p: *mut u32, at: &[isize; SMALLEST]) {
        unsafe {
            let rows = Self::transpose(words);
            for l in 0..SMALLEST {
                rows[l].store_past(past, p.offset(at[l]));
            }
        }
    }

    unsafe fn add(self, o: Self) -> Self;
    unsafe fn sub(self, o: Self) -> Self;
    unsafe fn mul(self, o: Self) -> Self;
    unsafe fn and(self, o: Self) -> Self;
    unsafe fn or(self, o: Self) -> Self;
    unsafe fn xor(self, o: Self) -> Self;
    /// The count is below 32, as of all shifts.
    unsafe fn shl(self, count: u32) -> Self;
    unsafe fn shr_u32(self, count: u32) -> Self;
    unsafe fn shr_i32(self, count: u32) -> Self;
    unsafe fn min_u32(self, o: Self) -> Self;
    unsafe fn max_u32(self, o: Self) -> Self;
    unsafe fn min_i32(self, o: Self) -> Self;
    unsafe fn max_i32(self, o: Self) -> Self;

    unsafe fn add_f32(self, o: Self) -> Self;
    unsafe fn sub_f32(self, o: Self) -> Self;
    unsafe fn mul_f32(self, o: Self) -> Self;
    unsafe fn div_f32(self, o: Self) -> Self;
    unsafe fn mul_add_f32(self, b: Self, c: Self) -> Self;
    unsafe fn sqrt_f32(self) -> Self;
    unsafe fn floor_f32(self) -> Self;
    unsafe fn ceil_f32(self) -> Self;
    unsafe fn trunc_f32(self) -> Self;
    /// The nearest `f32` of an `i32`.
    unsafe fn i32_to_f32(self) -> Self;
    /// Towards zero; `i32::MIN` where that is no `i32`.
    unsafe fn f32_to_i32_or_min(self) -> Self;

    unsafe fn eq(self, o: Self) -> Self::Mask;
    unsafe fn lt_u32(self, o: Self) -> Self::Mask;
    unsafe fn lt_i32(self, o: Self) -> Self::Mask;
    unsafe fn eq_f32(self, o: Self) -> Self::Mask;
    unsafe fn lt_f32(self, o: Self) -> Self::Mask;
    unsafe fn le_f32(self, o: Self) -> Self::Mask;

    /// Lane `l` holds where bit `l` is set.
    unsafe fn mask(bits: u64) -> Self::Mask;
    unsafe fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    unsafe fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    unsafe fn differ(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    unsafe fn not(a: Self::Mask) -> Self::Mask;
    unsafe fn any(m: Self::Mask) -> bool;
    /// `a` where the mask holds, else `b`.
    unsafe fn select(m: Self::Mask, a: Self, b: Self) -> Self;

    #[inline(always)]
    unsafe fn le_u32(self, o: Self) -> Self::Mask {
        unsafe { Self::not(o.lt_u32(self)) }
    }

    #[inline(always)]
    unsafe fn le_i32(self, o: Self) -> Self::Mask {
        unsafe { Self::not(o.lt_i32(self)) }
    }

    /// As `obsidian_abi::min_f32`.
    #[inline(always)]
    unsafe fn min_f32(self, o: Self) -> Self {
        unsafe {
            let least = Self::select(Self::either(self.lt_f32(o), Self::not(o.eq_f32(o))), self, o);
            Self::select(self.eq_f32(o), self.or(o), least)
        }
    }

    /// As `obsidian_abi::max_f32`.
    #[inline(always)]
    unsafe fn max_f32(self, o: Self) -> Self {
        unsafe {
            let most = Self::select(Self::either(o.lt_f32(self), Self::not(o.eq_f32(o))), self, o);
            Self::select(self.eq_f32(o), self.and(o), most)
        }
    }

    /// The nearest `f32` of a `u32`: both halves are exact, and their sum is rounded once.
    #[inline(always)]
    unsafe fn u32_to_f32(self) -> Self {
        unsafe {
            let high = self.shr_u32(16).i32_to_f32().mul_f32(Self::splat(65536f32.to_bits()));
            high.add_f32(self.and(Self::splat(0xffff)).i32_to_f32())
        }
    }

    /// As `x as i32`: saturates, and 0 for NaN.
    #[inline(always)]
    unsafe fn f32_to_i32(self) -> Self {
        unsafe {
            let large = Self::splat(2147483648f32.to_bits()).le_f32(self);
            let cast = Self::select(large, Self::splat(i32::MAX as u32), self.f32_to_i32_or_min());
            Self::select(self.eq_f32(self), cast, Self::splat(0))
        }
    }

    /// As `x as u32`: saturates, and 0 for NaN.
    #[inline(always)]
    unsafe fn f32_to_u32(self) -> Self {
        unsafe {
            let half = Self::splat(2147483648f32.to_bits());
            let high = self.sub_f32(half).f32_to_i32_or_min().xor(Self::splat(1 << 31));
            let cast = Self::select(half.le_f32(self), high, self.f32_to_i32_or_min());
            let cast = Self::select(Self::splat(4294967296f32.to_bits()).le_f32(self), Self::splat(u32::MAX), cast);
            Self::select(Self::splat(0).lt_f32(self), cast, Self::splat(0))
        }
    }
}
