//! Integers.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// How far two unsigned numbers are apart.
///
/// Source: Rust's method of that name.
pub fn abs_diff<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// How many bits are zero.
///
/// Source: Rust's method of that name.
pub fn count_zeros<T: Int>(a: T) -> u32 {
    in_kernels_only()
}

/// `a / b` of unsigned numbers, rounded up: how many parts of `b` hold `a`.
///
/// Source: Rust's method of that name.
pub fn div_ceil<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// How often `b` goes into `a`, so that what remains is not below 0.
///
/// Source: Rust's method of that name.
pub fn div_euclid<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// The place of the highest set bit: the logarithm, rounded down. Of 0, which has none, `u32::MAX`.
///
/// Source: Rust's method of that name.
pub fn ilog2<T: Int>(a: T) -> u32 {
    in_kernels_only()
}

/// Whether `a` is a multiple of `b`, of unsigned numbers; of 0 only 0 is one.
///
/// Source: Rust's method of that name.
pub fn is_multiple_of<T: Int>(a: T, b: T) -> bool {
    in_kernels_only()
}

/// Whether one bit of an unsigned number is set, and no other.
///
/// Source: Rust's method of that name.
pub fn is_power_of_two<T: Int>(a: T) -> bool {
    in_kernels_only()
}

/// The square root, rounded down; of numbers below 0, which have none, 0. Cost: a step for each two bits of the type.
///
/// Source: Rust's method of that name.
pub fn isqrt<T: Int>(a: T) -> T {
    in_kernels_only()
}

/// How many bits above the highest zero are one.
///
/// Source: Rust's method of that name.
pub fn leading_ones<T: Int>(a: T) -> u32 {
    in_kernels_only()
}

/// The least multiple of `b` that is not below `a`, of unsigned numbers.
///
/// Source: Rust's method of that name.
pub fn next_multiple_of<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// The least power of two that is not below `a`, of unsigned numbers; 0 where the type has none.
///
/// Source: Rust's method of that name.
pub fn next_power_of_two<T: Int>(a: T) -> T {
    in_kernels_only()
}

/// `a` as a factor `n` times; wraps, as all arithmetic does. Cost: a product for each bit of `n` and one for each that is set.
///
/// Source: Rust's method of that name.
pub fn pow<T: Int>(a: T, n: u32) -> T {
    in_kernels_only()
}

/// What remains of `a` where `b` has been taken off as often as it goes: from 0 to the size of `b` less 1.
///
/// Source: Rust's method of that name.
pub fn rem_euclid<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// `a + b`, or the end of the type on that side where it has no such number.
///
/// Source: Rust's method of that name.
pub fn saturating_add<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// `a - b`, or the end of the type on that side where it has no such number.
///
/// Source: Rust's method of that name.
pub fn saturating_sub<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// How many bits below the lowest zero are one.
///
/// Source: Rust's method of that name.
pub fn trailing_ones<T: Int>(a: T) -> u32 {
    in_kernels_only()
}

/// `pow`: all arithmetic wraps.
///
/// Source: Rust's method of that name.
pub fn wrapping_pow<T: Int>(a: T, n: u32) -> T {
    in_kernels_only()
}
