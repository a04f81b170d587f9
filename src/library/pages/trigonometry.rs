//! Trigonometry.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `cos(x)` for `f32`: at most 2 ulp over the whole range; NaN of infinities.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn cos_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `cos(x)` for `f64`: at most 2 ulp over the whole range; NaN of infinities. Cost as of `sin_f64`.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn cos_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `|x|` as quarter turns: their number modulo 4, and the rest in radians from `-pi/4` to `pi/4` as the sum of two numbers. In integers: 96 bits of `2/pi`, those whose product with the mantissa lies between 2^1 and 2^-62, are cut from a table by the exponent; so every argument is reduced alike and exactly.
///
/// Source: M. Payne, R. Hanek, Radian reduction for trigonometric functions, 1983.
#[doc(hidden)]
pub fn quarter_turns_f32(x: f32) -> (u32, f32, f32) where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `|x|` as quarter turns, as `quarter_turns_f32` does it, with 192 bits of `2/pi`.
///
/// Source: M. Payne, R. Hanek, Radian reduction for trigonometric functions, 1983.
#[doc(hidden)]
pub fn quarter_turns_f64(x: f64) -> (u32, f64, f64) where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sin(x)` for `f32`: at most 2 ulp over the whole range; NaN of infinities.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn sin_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sin(x)` for `f64`: at most 2 ulp over the whole range; NaN of infinities. Some 120 integer operations for the reduction.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn sin_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `tan(x)` for `f32`: at most 2 ulp over the whole range; NaN of infinities.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn tan_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `tan(x)` for `f64`: at most 2 ulp over the whole range; NaN of infinities. Cost as of `sin_f64`.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn tan_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sin` of `q` quarter turns and `r + low` radians: minimax polynomials (errors 2^-28 and 2^-33).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn turned_sin_f32(q: u32, r: f32, low: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sin` of `q` quarter turns and `r + low` radians: minimax polynomials (errors 2^-68 and 2^-63).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn turned_sin_f64(q: u32, r: f64, low: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// A word of `2/pi` for the reduction of an `f64`, after 55 zeros: a table.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn two_over_pi(i: u32) -> u64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}
