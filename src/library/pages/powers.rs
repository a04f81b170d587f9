//! Powers.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// The cube root for `f32`: at most 1 ulp. A third of the exponent as a first guess, then a step of third order and one of second order with an exact remainder.
///
/// Source: E. Halley, 1694 (the step of third order).
#[doc(hidden)]
pub fn cbrt_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// The cube root for `f64`: at most 1 ulp. A third of the exponent as a first guess, then two steps of third order and one of second order with an exact remainder.
///
/// Source: E. Halley, 1694 (the step of third order).
#[doc(hidden)]
pub fn cbrt_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sqrt(x^2 + y^2)` for `f32`, without overflow on the way: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn hypot_f32(x: f32, y: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sqrt(x^2 + y^2)` for `f64`, without overflow on the way: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn hypot_f64(x: f64, y: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `ln(x)` of a positive finite `x` as the sum of two numbers, to 2^-64 of its value: `2 s + s^3 (2/3 + s^2 P(s^2))` with `s = f / (2 + f)`, all but P in twice the precision (P minimax of degree 6, error 2^-66.2).
///
/// Source: T. J. Dekker, A floating-point technique for extending the available precision, 1971 (sums and products).
#[doc(hidden)]
pub fn ln_pair_f64(x: f64) -> (f64, f64) where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `x^y` from its value for positive finite `x`: signs, zeros, infinities and NaN as IEEE 754 says.
///
/// Source: IEEE 754-2019, 9.2.1 (`pow`).
#[doc(hidden)]
pub fn power_cases(x: f64, y: f64, core: impl Fn(f64, f64) -> f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^(y ln x)` of a positive finite `x`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn power_core_f64(x: f64, y: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `e^(y ln x)` of a positive finite `x`, to the precision of `f32` only.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn power_core_short(x: f64, y: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `x^y` for `f32`, by way of `f64`: at most 1 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn powf_f32(x: f32, y: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `x^y` for `f64`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn powf_f64(x: f64, y: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}
