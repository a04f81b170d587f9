/// `a` held between `lo` and `hi`. Source: Rust's method of that name.
fn clamp<T: Num>(a: T, lo: T, hi: T) -> T {
    min(max(a, lo), hi)
}

/// `1 / a`, correctly rounded. Source: Rust's method of that name.
fn recip<T: Float>(a: T) -> T {
    1.0 / a
}

/// `1 / sqrt(a)`: at most 1 ulp. Source: CUDA's function of that name.
fn rsqrt<T: Float>(a: T) -> T {
    1.0 / sqrt(a)
}

/// The nearest whole number, half-way cases away from zero. Source: Rust's method of that name.
fn round<T: Float>(a: T) -> T {
    let t = trunc(a);
    if abs(a - t) >= 0.5 { t + copysign(1.0, a) } else { t }
}

/// What `trunc` leaves, with the sign of `a`. Source: Rust's method of that name.
fn fract<T: Float>(a: T) -> T {
    a - trunc(a)
}

/// The size of `a` with the sign of `sign`. Source: Rust's method of that name.
fn copysign<T: Float>(a: T, sign: T) -> T {
    let minus: T = -0.0;
    let top = to_bits(minus);
    from_bits::<T>((to_bits(a) & !top) | (to_bits(sign) & top))
}

/// Whether `a` is NaN. Source: Rust's method of that name.
fn is_nan<T: Float>(a: T) -> bool {
    a != a
}

/// Whether `a` is an infinity, of either sign. Source: Rust's method of that name.
fn is_infinite<T: Float>(a: T) -> bool {
    abs(a) == T::INFINITY
}

/// Whether `a` is neither infinite nor NaN. Source: Rust's method of that name.
fn is_finite<T: Float>(a: T) -> bool {
    abs(a) < T::INFINITY
}

/// `a + b`: all arithmetic wraps. Source: Rust's method of that name.
fn wrapping_add<T: Int>(a: T, b: T) -> T {
    a + b
}

/// `a - b`: all arithmetic wraps. Source: Rust's method of that name.
fn wrapping_sub<T: Int>(a: T, b: T) -> T {
    a - b
}

/// `a * b`: all arithmetic wraps. Source: Rust's method of that name.
fn wrapping_mul<T: Int>(a: T, b: T) -> T {
    a * b
}

/// `0 - a`: all arithmetic wraps. Source: Rust's method of that name.
fn wrapping_neg<T: Int>(a: T) -> T {
    0 - a
}

/// `a^n`: products for `n` from 0 to 3 and their inverses for -1 to -3, else as `powf`. Up to 2 ulp, `f64` 2 ulp.
/// Source: Rust's method of that name.
fn powi<T: Float>(a: T, n: i32) -> T {
    let m = if n < 0 { 0 - n } else { n };
    let p = if m == 0 { 1.0 } else if m == 1 { a } else if m == 2 { a * a } else { a * a * a };
    let few = if n < 0 { 1.0 / p } else { p };
    if m <= 3 { few } else { by_float(a, |x| powi_f32(x, n), |x| powf_f64(x, n as f64)) }
}

/// `x^n` for `f32`, by way of `f64`, which holds every `n`. Source: this library's own.
fn powi_f32(x: f32, n: i32) -> f32 {
    power_cases(x as f64, n as f64, |a, b| power_core_short(a, b)) as f32
}

/// `e^a`: at most 1 ulp, `f64` 1; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn exp<T: Float>(a: T) -> T {
    by_float(a, exp_f32, exp_f64)
}

/// `2^a`, exact for whole `a`: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn exp2<T: Float>(a: T) -> T {
    by_float(a, exp2_f32, exp2_f64)
}

/// `e^a - 1`, right also where `a` is small: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn exp_m1<T: Float>(a: T) -> T {
    by_float(a, exp_m1_f32, exp_m1_f64)
}

/// The natural logarithm; NaN below 0, `-inf` at 0: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn ln<T: Float>(a: T) -> T {
    by_float(a, ln_f32, ln_f64)
}

/// `ln(1 + a)`, right also where `a` is small: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn ln_1p<T: Float>(a: T) -> T {
    by_float(a, ln_1p_f32, ln_1p_f64)
}

/// The logarithm to base 2, exact for powers of two: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn log2<T: Float>(a: T) -> T {
    by_float(a, log2_f32, log2_f64)
}

/// The logarithm to base 10: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn log10<T: Float>(a: T) -> T {
    by_float(a, log10_f32, log10_f64)
}

/// The cube root, also of negative numbers: at most 1 ulp, `f64` 1; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn cbrt<T: Float>(a: T) -> T {
    by_float(a, cbrt_f32, cbrt_f64)
}

/// The sine of radians, NaN of infinities: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn sin<T: Float>(a: T) -> T {
    by_float(a, sin_f32, sin_f64)
}

/// The cosine of radians, NaN of infinities: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn cos<T: Float>(a: T) -> T {
    by_float(a, cos_f32, cos_f64)
}

/// The tangent of radians, NaN of infinities: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn tan<T: Float>(a: T) -> T {
    by_float(a, tan_f32, tan_f64)
}

/// The arc sine, from `-pi/2` to `pi/2`; NaN beyond -1 and 1: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn asin<T: Float>(a: T) -> T {
    by_float(a, asin_f32, asin_f64)
}

/// The arc cosine, from 0 to `pi`; NaN beyond -1 and 1: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn acos<T: Float>(a: T) -> T {
    by_float(a, acos_f32, acos_f64)
}

/// The arc tangent, from `-pi/2` to `pi/2`: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn atan<T: Float>(a: T) -> T {
    by_float(a, atan_f32, atan_f64)
}

/// The hyperbolic sine: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn sinh<T: Float>(a: T) -> T {
    by_float(a, sinh_f32, sinh_f64)
}

/// The hyperbolic cosine: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn cosh<T: Float>(a: T) -> T {
    by_float(a, cosh_f32, cosh_f64)
}

/// The hyperbolic tangent: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn tanh<T: Float>(a: T) -> T {
    by_float(a, tanh_f32, tanh_f64)
}

/// The inverse of `sinh`: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn asinh<T: Float>(a: T) -> T {
    by_float(a, asinh_f32, asinh_f64)
}

/// The inverse of `cosh`; NaN below 1: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn acosh<T: Float>(a: T) -> T {
    by_float(a, acosh_f32, acosh_f64)
}

/// The inverse of `tanh`; infinite at -1 and 1, NaN beyond: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn atanh<T: Float>(a: T) -> T {
    by_float(a, atanh_f32, atanh_f64)
}

/// `x^y`, with the edges of IEEE 754's `pow`: at most 1 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn powf<T: Float>(x: T, y: T) -> T {
    by_float2(x, y, powf_f32, powf_f64)
}

/// `sqrt(a^2 + b^2)`, without overflow on the way: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn hypot<T: Float>(a: T, b: T) -> T {
    by_float2(a, b, hypot_f32, hypot_f64)
}

/// The angle of the point `(x, y)`, from `-pi` to `pi`; signs of zeros count: at most 2 ulp, `f64` 2; `f16` and `bf16` are rounded from `f32`. Source: Rust's method of that name.
fn atan2<T: Float>(y: T, x: T) -> T {
    by_float2(y, x, atan2_f32, atan2_f64)
}
