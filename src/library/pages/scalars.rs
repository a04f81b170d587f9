//! Scalars.

// Rendered by obsidian-ir/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
use super::super::{in_kernels_only, types::*};

/// The absolute value, wrapping.
///
/// Source: Rust's method of that name.
pub fn abs<T: Num>(a: T) -> T {
    in_kernels_only()
}

/// The least whole number that is not below `a`.
///
/// Source: Rust's method of that name.
pub fn ceil<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// `a` held between `lo` and `hi`.
///
/// Source: Rust's method of that name.
pub fn clamp<T: Num>(a: T, lo: T, hi: T) -> T {
    in_kernels_only()
}

/// The greatest whole number that is not above `a`.
///
/// Source: Rust's method of that name.
pub fn floor<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The greater; of a number and a NaN, the number.
///
/// Source: Rust's method of that name.
pub fn max<T: Num>(a: T, b: T) -> T {
    in_kernels_only()
}

/// The lesser; of a number and a NaN, the number.
///
/// Source: Rust's method of that name.
pub fn min<T: Num>(a: T, b: T) -> T {
    in_kernels_only()
}

/// `1 / a`.
///
/// Source: Rust's method of that name.
pub fn recip<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The square root, correctly rounded.
///
/// Source: Rust's method of that name.
pub fn sqrt<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The whole part, towards zero.
///
/// Source: Rust's method of that name.
pub fn trunc<T: Float>(a: T) -> T {
    in_kernels_only()
}
