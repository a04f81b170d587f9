//! Arcs.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `cos^-1(x)` for `f32`: at most 2 ulp; NaN beyond -1 and 1. Above 1/2 from the half angle.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn acos_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `cos^-1(x)` for `f64`: at most 2 ulp; NaN beyond -1 and 1. Above 1/2 from the half angle.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn acos_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `(sin^-1(s) - s) / s` for `z = s^2` up to 1/4: `z P(z)`, P minimax of degree 4 (error 2^-27.6).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn asin_core_f32(z: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `(sin^-1(s) - s) / s` for `z = s^2` up to 1/4: `z P(z)`, P minimax of degree 11 (error 2^-55.9).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn asin_core_f64(z: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sin^-1(x)` for `f32`: at most 2 ulp; NaN beyond -1 and 1. Above 1/2 from the half angle.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn asin_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sin^-1(x)` for `f64`: at most 2 ulp; NaN beyond -1 and 1. Above 1/2 from the half angle.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn asin_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// The angle of the point `(x, y)` for `f32`, from `-pi` to `pi`: at most 2 ulp; signs of zeros count.
///
/// Source: IEEE 754-2019, 9.2.1 (`atan2`).
#[doc(hidden)]
pub fn atan2_f32(y: f32, x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// The angle of the point `(x, y)` for `f64`, from `-pi` to `pi`: at most 2 ulp; signs of zeros count.
///
/// Source: IEEE 754-2019, 9.2.1 (`atan2`).
#[doc(hidden)]
pub fn atan2_f64(y: f64, x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `tan^-1(x)` for `f32`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn atan_f32(x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `tan^-1(x)` for `f64`: at most 2 ulp.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn atan_f64(x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// The angle whose tangent is `y / x`, both not negative, from 0 to `pi/2`: one division, and a minimax polynomial on 0 .. 1 (error 2^-28.5).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ratio_atan_f32(y: f32, x: f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// The angle whose tangent is `y / x`, both not negative, from 0 to `pi/2`: one division, of what is left after 0, 1 or 2 eighths of a turn, and a minimax polynomial up to `tan(pi/8)` (error 2^-59.4).
///
/// Source: this library's own.
#[doc(hidden)]
pub fn ratio_atan_f64(y: f64, x: f64) -> f64 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}
