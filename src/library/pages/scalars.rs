//! Scalars.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// The absolute value, wrapping.
///
/// Source: Rust's method of that name.
pub fn abs<T: Num>(a: T) -> T {
    in_kernels_only()
}

/// The arc cosine, from 0 to `pi`; NaN beyond -1 and 1: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn acos<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The inverse of `cosh`; NaN below 1: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn acosh<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The arc sine, from `-pi/2` to `pi/2`; NaN beyond -1 and 1: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn asin<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The inverse of `sinh`: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn asinh<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The arc tangent, from `-pi/2` to `pi/2`: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn atan<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The angle of the point `(x, y)`, from `-pi` to `pi`; signs of zeros count: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn atan2<T: Float>(y: T, x: T) -> T {
    in_kernels_only()
}

/// The inverse of `tanh`; infinite at -1 and 1, NaN beyond: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn atanh<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// `double(a)` of an `f64`, else `single(a)`, to and from `f32` where `T` is `f16` or `bf16`.
///
/// Source: this library's own, for functions that are written once a precision.
#[doc(hidden)]
pub fn by_float<T: Float>(a: T, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> T {
    in_kernels_only()
}

/// `by_float` for functions of two numbers.
///
/// Source: this library's own, for functions that are written once a precision.
#[doc(hidden)]
pub fn by_float2<T: Float>(a: T, b: T, single: impl Fn(f32, f32) -> f32, double: impl Fn(f64, f64) -> f64) -> T {
    in_kernels_only()
}

/// The cube root, also of negative numbers: at most 1 ulp, `f64` 1; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn cbrt<T: Float>(a: T) -> T {
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

/// The size of `a` with the sign of `sign`.
///
/// Source: Rust's method of that name.
pub fn copysign<T: Float>(a: T, sign: T) -> T {
    in_kernels_only()
}

/// The cosine of radians, NaN of infinities: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn cos<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The hyperbolic cosine: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn cosh<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// How many bits are one.
///
/// Source: Rust's method of that name.
pub fn count_ones<T: Int>(a: T) -> u32 {
    in_kernels_only()
}

/// `e^a`: at most 1 ulp, `f64` 1; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn exp<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// `2^a`, exact for whole `a`: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn exp2<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// `e^a - 1`, right also where `a` is small: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn exp_m1<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The greatest whole number that is not above `a`.
///
/// Source: Rust's method of that name.
pub fn floor<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// What `trunc` leaves, with the sign of `a`.
///
/// Source: Rust's method of that name.
pub fn fract<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// `a` as a type that has every value of its own: `u64::from(x)`, `f64::from(x)`, `u32::from(x > 0)`. Others `as` converts.
///
/// Source: Rust's method of that name.
pub fn from<U: Ord, T: Ord>(a: T) -> U {
    in_kernels_only()
}

/// The float with these IEEE bits: `f32::from_bits(b)`.
///
/// Source: Rust's method of that name.
pub fn from_bits<T: Float>(bits: Bits<T>) -> T {
    in_kernels_only()
}

/// `exact(a)`; under `fast_math` a GPU's own cosine, whose absolute error is 2^-20.5 from -2 pi to 2 pi, and grows with `a`.
///
/// Source: PTX ISA; this library's own, for functions that a GPU has.
#[doc(hidden)]
pub fn gpu_cos(a: f32, exact: impl Fn(f32) -> f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `exact(a)`; under `fast_math` a GPU's own `2^(a * scale)`, whose relative error is 2^-22.
///
/// Source: PTX ISA; this library's own, for functions that a GPU has.
#[doc(hidden)]
pub fn gpu_exp2(a: f32, scale: f32, exact: impl Fn(f32) -> f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `exact(a)`; under `fast_math` a GPU's own `log2(a) * scale`, whose relative error is 2^-22, from 0.5 to 2 its absolute one.
///
/// Source: PTX ISA; this library's own, for functions that a GPU has.
#[doc(hidden)]
pub fn gpu_log2(a: f32, scale: f32, exact: impl Fn(f32) -> f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `exact(a)`; under `fast_math` a GPU's own sine, whose absolute error is 2^-20.5 from -2 pi to 2 pi, and grows with `a`.
///
/// Source: PTX ISA; this library's own, for functions that a GPU has.
#[doc(hidden)]
pub fn gpu_sin(a: f32, exact: impl Fn(f32) -> f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `exact(a)`; under `fast_math` and from `sm_75` on a GPU's own hyperbolic tangent, whose relative error is 2^-11.
///
/// Source: PTX ISA; this library's own, for functions that a GPU has.
#[doc(hidden)]
pub fn gpu_tanh(a: f32, exact: impl Fn(f32) -> f32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `sqrt(a^2 + b^2)`, without overflow on the way: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn hypot<T: Float>(a: T, b: T) -> T {
    in_kernels_only()
}

/// Whether `a` is neither infinite nor NaN.
///
/// Source: Rust's method of that name.
pub fn is_finite<T: Float>(a: T) -> bool {
    in_kernels_only()
}

/// Whether `a` is an infinity, of either sign.
///
/// Source: Rust's method of that name.
pub fn is_infinite<T: Float>(a: T) -> bool {
    in_kernels_only()
}

/// Whether `a` is NaN.
///
/// Source: Rust's method of that name.
pub fn is_nan<T: Float>(a: T) -> bool {
    in_kernels_only()
}

/// How many bits above the highest one are zero; of 0, the type's width.
///
/// Source: Rust's method of that name.
pub fn leading_zeros<T: Int>(a: T) -> u32 {
    in_kernels_only()
}

/// The natural logarithm; NaN below 0, `-inf` at 0: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn ln<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// `ln(1 + a)`, right also where `a` is small: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn ln_1p<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The logarithm to base 10: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn log10<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The logarithm to base 2, exact for powers of two: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn log2<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The greater; of a number and a NaN the number; 0 is greater than -0.
///
/// Source: Rust's method of that name.
pub fn max<T: Num>(a: T, b: T) -> T {
    in_kernels_only()
}

/// The lesser; of a number and a NaN the number; -0 is less than 0.
///
/// Source: Rust's method of that name.
pub fn min<T: Num>(a: T, b: T) -> T {
    in_kernels_only()
}

/// `a * b + c`, on floats rounded once (`f16`, `bf16`: once to `f32`, and from there), on integers wrapping.
///
/// Source: Rust's method of that name.
pub fn mul_add<T: Num>(a: T, b: T, c: T) -> T {
    in_kernels_only()
}

/// The upper half of the product, which has twice as many bits.
///
/// Source: PTX ISA, `mul.hi`; OpenCL C, `mul_hi`.
pub fn mul_hi<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// `a`, in functions that Rust has for unsigned numbers only.
///
/// Source: this library's own.
pub fn of_unsigned<T: Int>(a: T) -> T {
    in_kernels_only()
}

/// Whether the code is for GPUs, and not for a processor's threads. For the library itself: both sides of a choice by it must give the same.
///
/// Source: reference.md §7.
pub fn on_gpu() -> bool where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `x^y`, with the edges of IEEE 754's `pow`: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn powf<T: Float>(x: T, y: T) -> T {
    in_kernels_only()
}

/// `a^n`: products for `n` from 0 to 3 and their inverses for -1 to -3, else as `powf`. Up to 2 ulp, `f64` 2 ulp.
///
/// Source: Rust's method of that name.
pub fn powi<T: Float>(a: T, n: i32) -> T {
    in_kernels_only()
}

/// `x^n` for `f32`, by way of `f64`, which holds every `n`.
///
/// Source: this library's own.
#[doc(hidden)]
pub fn powi_f32(x: f32, n: i32) -> f32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `1 / a`, correctly rounded.
///
/// Source: Rust's method of that name.
pub fn recip<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The bits in the opposite order.
///
/// Source: Rust's method of that name.
pub fn reverse_bits<T: Int>(a: T) -> T {
    in_kernels_only()
}

/// The bits moved up by `n`, those that fall out coming in from below.
///
/// Source: Rust's method of that name.
pub fn rotate_left<T: Int>(a: T, n: u32) -> T {
    in_kernels_only()
}

/// The bits moved down by `n`, those that fall out coming in from above.
///
/// Source: Rust's method of that name.
pub fn rotate_right<T: Int>(a: T, n: u32) -> T {
    in_kernels_only()
}

/// The nearest whole number, half-way cases away from zero.
///
/// Source: Rust's method of that name.
pub fn round<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// `1 / sqrt(a)`: at most 1 ulp.
///
/// Source: CUDA's function of that name.
pub fn rsqrt<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The sign: of integers 1, 0 or -1; of floats 1 or -1 (zeros have signs), NaN of NaN.
///
/// Source: Rust's method of that name.
pub fn signum<T: Num>(a: T) -> T {
    in_kernels_only()
}

/// The sine of radians, NaN of infinities: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn sin<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The hyperbolic sine: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn sinh<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The square root, correctly rounded.
///
/// Source: Rust's method of that name.
pub fn sqrt<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The bytes in the opposite order.
///
/// Source: Rust's method of that name.
pub fn swap_bytes<T: Int>(a: T) -> T {
    in_kernels_only()
}

/// The tangent of radians, NaN of infinities: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn tan<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The hyperbolic tangent: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`.
///
/// Source: Rust's method of that name.
pub fn tanh<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// The IEEE bits, as the unsigned integer of the same width. Which bits a NaN has is not specified.
///
/// Source: Rust's method of that name.
pub fn to_bits<T: Float>(a: T) -> Bits<T> {
    in_kernels_only()
}

/// How many bits below the lowest one are zero; of 0, the type's width.
///
/// Source: Rust's method of that name.
pub fn trailing_zeros<T: Int>(a: T) -> u32 {
    in_kernels_only()
}

/// The whole part, towards zero.
///
/// Source: Rust's method of that name.
pub fn trunc<T: Float>(a: T) -> T {
    in_kernels_only()
}

/// `a + b`: all arithmetic wraps.
///
/// Source: Rust's method of that name.
pub fn wrapping_add<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// `a * b`: all arithmetic wraps.
///
/// Source: Rust's method of that name.
pub fn wrapping_mul<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}

/// `0 - a`: all arithmetic wraps.
///
/// Source: Rust's method of that name.
pub fn wrapping_neg<T: Int>(a: T) -> T {
    in_kernels_only()
}

/// `a << n`, the count modulo the width.
///
/// Source: Rust's method of that name.
pub fn wrapping_shl<T: Int>(a: T, n: u32) -> T {
    in_kernels_only()
}

/// `a >> n`, the count modulo the width.
///
/// Source: Rust's method of that name.
pub fn wrapping_shr<T: Int>(a: T, n: u32) -> T {
    in_kernels_only()
}

/// `a - b`: all arithmetic wraps.
///
/// Source: Rust's method of that name.
pub fn wrapping_sub<T: Int>(a: T, b: T) -> T {
    in_kernels_only()
}
