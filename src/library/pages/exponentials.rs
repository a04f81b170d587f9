//! Exponentials.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `cosh^-1(x)` for `f32`, by way of `f64`: at most 1 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn acosh_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `cosh^-1(x)` for `f64`: at most 2 ulp; NaN below 1.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn acosh_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sinh^-1(x)` for `f32`, by way of `f64`: at most 1 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn asinh_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sinh^-1(x)` for `f64`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn asinh_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `tanh^-1(x)` for `f32`, by way of `f64`: at most 1 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn atanh_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `tanh^-1(x)` for `f64`: at most 2 ulp; infinite at -1 and 1, NaN beyond.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn atanh_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `cosh(x)` for `f32`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn cosh_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `cosh(x)` for `f64`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn cosh_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `2^x` for `f32`: at most 1 ulp, exact for whole `x`.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn exp2_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `2^x` for `f64`: at most 2 ulp, exact for whole `x`.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn exp2_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^x` for `f32`: at most 1 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn exp_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^x` for `f64`: at most 1 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn exp_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^r - 1` for `r` from `-ln(2) / 2` to `ln(2) / 2`, to an ulp: `r + r^2 P(r)`, P minimax of degree 5 (error 2^-31.9).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn exp_m1_core_f32(r: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^r - 1` for `r` from `-ln(2) / 2` to `ln(2) / 2`, to an ulp: `r + r^2 P(r)`, P minimax of degree 10 (error 2^-58).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn exp_m1_core_f64(r: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^x - 1` for `f32`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn exp_m1_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^x - 1` for `f64`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn exp_m1_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `x` as `k ln(2) + r`, `k` whole. The sum with 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
///
/// Source: W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980 (the reduction by two constants).
#[doc(hidden)]
pub fn exp_parts_f32(x: f32) -> (i32, f32) where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `x` as `k ln(2) + r`, `k` whole. The sum with 1.5 * 2^52 rounds to a whole number and leaves it in the low bits.
///
/// Source: W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980 (the reduction by two constants).
#[doc(hidden)]
pub fn exp_parts_f64(x: f64) -> (i32, f64) where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^x / 2` for `f32` and `x >= 0`, which overflows only where the hyperbolic functions do.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn half_exp_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^x / 2` for `f64` and `x >= 0`, which overflows only where the hyperbolic functions do.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn half_exp_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `x * 2^k` for `k` from -252 to 254, in two exact steps (the second rounds where the result is subnormal).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn scale_f32(x: f32, k: i32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `x * 2^k` for `k` from -2044 to 2046, in two exact steps (the second rounds where the result is subnormal).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn scale_f64(x: f64, k: i32) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sinh(x)` for `f32`: at most 2 ulp; a polynomial below 1.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn sinh_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sinh(x)` for `f64`: at most 2 ulp; a polynomial below 1.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn sinh_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `tanh(x)` for `f32`: at most 2 ulp; a polynomial below 0.56.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn tanh_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `tanh(x)` for `f64`: at most 2 ulp, from `e^(2x) - 1`.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn tanh_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}
