//! Bits.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `i` with bit `k` flipped: the place at distance `2^k`.
///
/// Source: DAMP 2012's library (`flipBit`).
pub fn flip_bit(i: u32, k: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `i` with the bits `k` to `k + j` flipped: the mirror image among places `2^k` apart.
///
/// Source: DAMP 2012's library (`flipBitsFrom`).
pub fn flip_bits_from(i: u32, k: u32, j: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `i` with the bits 0 to `k` flipped: the mirror image in its block of `2^(k + 1)`.
///
/// Source: DAMP 2012's library (`flipLSBsTo`).
pub fn flip_lsbs_to(i: u32, k: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `i` with a zero put in at bit `k`, the bits above moved up: the `i`-th place whose bit `k` is 0.
///
/// Source: DAMP 2012's library (`insertZero`).
pub fn insert_zero(i: u32, k: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// Whether bit `k` of `i` is 0: at distance `2^k`, `i` is the lower place.
///
/// Source: DAMP 2012's library (`lowBit`).
pub fn low_bit(i: u32, k: u32) -> bool where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// A word whose lowest `k` bits are ones, the others zeros; `k` is below 32.
///
/// Source: DAMP 2012's library (`oneBits`).
pub fn one_bits(k: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// A word whose lowest `k` bits are zeros, the others ones; `k` is below 32.
///
/// Source: DAMP 2012's library (`zeroBits`).
pub fn zero_bits(k: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}
