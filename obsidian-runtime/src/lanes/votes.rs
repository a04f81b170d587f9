//! Flags of a warp as bits, which compilers do not find in the sum of 32 shifted bytes.

/// The first `N` flags, at most 32, as bits, the first one lowest.
///
/// # Safety
/// `flags` is valid for reads of `N` bytes, each 0 or 1.
#[inline(always)]
pub unsafe fn bits<const N: usize>(flags: *const u8) -> u32 {
    const { assert!(N <= 32) };
    let mut mask = 0;
    let mut k = 0;
    #[cfg(target_arch = "x86_64")]
    while k + 16 <= N {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8, _mm_slli_epi16};
        // SAFETY: the caller's, and SSE2 is part of x86-64. A flag moves to the sign of its byte.
        let signs = unsafe { _mm_movemask_epi8(_mm_slli_epi16::<7>(_mm_loadu_si128(flags.add(k).cast()))) };
        mask |= (signs as u32) << k;
        k += 16;
    }
    while k + 8 <= N {
        // SAFETY: the caller's.
        let eight = u64::from_le(unsafe { flags.add(k).cast::<u64>().read_unaligned() });
        // Moves flag `i` from bit `8 * i` to bit `56 + i`; no two terms meet in a bit.
        mask |= ((eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << k;
        k += 8;
    }
    while k < N {
        // SAFETY: the caller's.
        mask |= u32::from(unsafe { *flags.add(k) }) << k;
        k += 1;
    }
    mask
}

/// Whether one of the first `N` flags holds.
///
/// # Safety
/// As of [`bits`].
#[inline(always)]
pub unsafe fn any<const N: usize>(flags: *const u8) -> bool {
    // SAFETY: the caller's.
    unsafe { bits::<N>(flags) != 0 }
}

/// Whether all of the first `N` flags hold; `N` is at least 1.
///
/// # Safety
/// As of [`bits`].
#[inline(always)]
pub unsafe fn all<const N: usize>(flags: *const u8) -> bool {
    // SAFETY: the caller's.
    unsafe { bits::<N>(flags) == u32::MAX >> (32 - N) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const N: usize>() {
        let mut state = 1u32;
        for round in 0..200 {
            let flags: Vec<u8> = (0..N)
                .map(|k| {
                    state = state.wrapping_mul(0x9e37_79b9).wrapping_add(0x7f4a_7c15);
                    // None, all, all but one, one, and mixed ones.
                    match round {
                        0 => 0,
                        1 => 1,
                        _ if round % 3 == 0 => u8::from(k != round % N),
                        _ if round % 3 == 1 => u8::from(k == round % N),
                        _ => (state >> 31) as u8,
                    }
                })
                .collect();
            let expected = flags.iter().enumerate().fold(0u32, |bits, (k, &flag)| bits | u32::from(flag) << k);
            unsafe {
                assert_eq!(bits::<N>(flags.as_ptr()), expected, "{flags:?}");
                assert_eq!(any::<N>(flags.as_ptr()), flags.contains(&1));
                assert_eq!(all::<N>(flags.as_ptr()), !flags.contains(&0));
            }
        }
    }

    #[test]
    fn flags_are_bits_in_their_order() {
        check::<1>();
        check::<2>();
        check::<7>();
        check::<8>();
        check::<15>();
        check::<16>();
        check::<17>();
        check::<23>();
        check::<24>();
        check::<31>();
        check::<32>();
    }
}
