//! Logarithms.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `ln(1 + x)` for `f32`: at most 2 ulp. What `1 + x` loses is put back as a term of first order, before the polynomial where the exponent is 0.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_1p_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `ln(1 + x)` for `f64`: at most 2 ulp. What `1 + x` loses is put back as a term of first order, before the polynomial where the exponent is 0.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_1p_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `ln(1 + f)` for `f` from -1/3 to 1/3.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_core_f32(f: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `ln(1 + f)` for `1 + f` from `sqrt(1/2)` to `sqrt(2)`, as `2 atanh(s)`, `s = f / (2 + f)`: with `h = f^2 / 2` it is `f - (h - s (h + s^2 P(s^2)))`, P minimax of degree 6 (error 2^-59.4).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_core_f64(f: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// What a logarithm is where its argument is not a positive finite number: NaN below 0, `-inf` at 0, else the argument.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_edge_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// What a logarithm is where its argument is not a positive finite number: NaN below 0, `-inf` at 0, else the argument.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_edge_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `ln(x)` for `f32`: at most 1 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `ln(x)` for `f64`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// A positive `x` as `2^k (1 + f)`, `f` from -1/3 to 1/3.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_parts_f32(x: f32) -> (f32, f32) where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// A positive `x` as `2^k (1 + f)`, `1 + f` from `sqrt(1/2)` to `sqrt(2)`.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_parts_f64(x: f64) -> (f64, f64) where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `ln(1 + f) - f` for `f` from -1/3 to 1/3: `-f^2 / 2 + f^3 P(f)`, P minimax of degree 8 (error 2^-29.9).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ln_tail_f32(f: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `log10(x)` for `f32`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn log10_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `log10(x)` for `f64`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn log10_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `log2(x)` for `f32`: at most 2 ulp, exact for powers of two.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn log2_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `log2(x)` for `f64`: at most 2 ulp, exact for powers of two.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn log2_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}
