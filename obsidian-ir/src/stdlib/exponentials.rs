/// `x * 2^k` for `k` from -252 to 254, in two exact steps (the second rounds where the result is subnormal).
/// Source: this library's own.
fn scale_f32(x: f32, k: i32) -> f32 {
    let half = k >> 1;
    x * f32::from_bits(((half + 127) << 23) as u32) * f32::from_bits(((k - half + 127) << 23) as u32)
}

/// `x * 2^k` for `k` from -2044 to 2046, in two exact steps (the second rounds where the result is subnormal).
/// Source: this library's own.
fn scale_f64(x: f64, k: i32) -> f64 {
    let half = k >> 1;
    x * f64::from_bits(((half + 1023) as u64) << 52) * f64::from_bits(((k - half + 1023) as u64) << 52)
}

/// `e^r - 1` for `r` from `-ln(2) / 2` to `ln(2) / 2`, to an ulp: `r + r^2 P(r)`, P minimax of degree 5 (error 2^-31.9).
/// Source: this library's own.
fn exp_m1_core_f32(r: f32) -> f32 {
    let p = r.mul_add(0.00019846113, 0.0013941657);
    let p = r.mul_add(p, 0.0083333915);
    let p = r.mul_add(p, 0.041666348);
    let p = r.mul_add(p, 0.16666666);
    let p = r.mul_add(p, 0.5);
    (r * r).mul_add(p, r)
}

/// `e^r - 1` for `r` from `-ln(2) / 2` to `ln(2) / 2`, to an ulp: `r + r^2 P(r)`, P minimax of degree 10 (error 2^-58).
/// Source: this library's own.
fn exp_m1_core_f64(r: f64) -> f64 {
    let p = r.mul_add(2.087183160746305e-09, 2.510054467136122e-08);
    let p = r.mul_add(p, 2.7557390967787397e-07);
    let p = r.mul_add(p, 2.755726707076666e-06);
    let p = r.mul_add(p, 2.4801587215349644e-05);
    let p = r.mul_add(p, 0.00019841269865169647);
    let p = r.mul_add(p, 0.0013888888888924677);
    let p = r.mul_add(p, 0.008333333333329088);
    let p = r.mul_add(p, 0.04166666666666662);
    let p = r.mul_add(p, 0.16666666666666669);
    let p = r.mul_add(p, 0.5);
    (r * r).mul_add(p, r)
}

/// `x` as `k ln(2) + r`, `k` whole. The sum with 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
/// Source: W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980 (the reduction by two constants).
fn exp_parts_f32(x: f32) -> (i32, f32) {
    let t = x.mul_add(1.442695, 12582912.0);
    let k = t - 12582912.0;
    let r = k.mul_add(-0.6931472, x);
    (t.to_bits() as i32 - 0x4b400000, k.mul_add(1.9046542e-9, r))
}

/// `x` as `k ln(2) + r`, `k` whole. The sum with 1.5 * 2^52 rounds to a whole number and leaves it in the low bits.
/// Source: W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980 (the reduction by two constants).
fn exp_parts_f64(x: f64) -> (i32, f64) {
    let t = x.mul_add(1.4426950408889634, 6755399441055744.0);
    let k = t - 6755399441055744.0;
    let r = k.mul_add(-0.6931471805599453, x);
    (t.to_bits() as i32, k.mul_add(-2.3190468138462996e-17, r))
}

/// `e^x` for `f32`: at most 1 ulp. Source: this library's own.
fn exp_f32(x: f32) -> f32 {
    let held = if x > 104.0 { 104.0 } else if x < -104.0 { -104.0 } else { x };
    let (k, r) = exp_parts_f32(held);
    scale_f32(1.0 + exp_m1_core_f32(r), k)
}

/// `e^x` for `f64`: at most 1 ulp. Source: this library's own.
fn exp_f64(x: f64) -> f64 {
    let held = if x > 746.0 { 746.0 } else if x < -746.0 { -746.0 } else { x };
    let (k, r) = exp_parts_f64(held);
    scale_f64(1.0 + exp_m1_core_f64(r), k)
}

/// `2^x` for `f32`: at most 1 ulp, exact for whole `x`. Source: this library's own.
fn exp2_f32(x: f32) -> f32 {
    let held = if x > 151.0 { 151.0 } else if x < -151.0 { -151.0 } else { x };
    let t = held + 12582912.0;
    let r = (held - (t - 12582912.0)) * 0.6931472;
    scale_f32(1.0 + exp_m1_core_f32(r), t.to_bits() as i32 - 0x4b400000)
}

/// `2^x` for `f64`: at most 2 ulp, exact for whole `x`. Source: this library's own.
fn exp2_f64(x: f64) -> f64 {
    let held = if x > 1076.0 { 1076.0 } else if x < -1076.0 { -1076.0 } else { x };
    let t = held + 6755399441055744.0;
    let r = (held - (t - 6755399441055744.0)) * 0.6931471805599453;
    scale_f64(1.0 + exp_m1_core_f64(r), t.to_bits() as i32)
}

/// `e^x - 1` for `f32`: at most 2 ulp. Source: this library's own.
fn exp_m1_f32(x: f32) -> f32 {
    let held = if x > 89.0 { 89.0 } else if x < -20.0 { -20.0 } else { x };
    let (k, r) = exp_parts_f32(held);
    // Half of 2^k, which does not overflow.
    let half = f32::from_bits(((k + 126) << 23) as u32);
    let y = half.mul_add(exp_m1_core_f32(r), half - 0.5) * 2.0;
    if x.abs() < 1.0e-8 { x } else { y }
}

/// `e^x - 1` for `f64`: at most 2 ulp. Source: this library's own.
fn exp_m1_f64(x: f64) -> f64 {
    let held = if x > 710.0 { 710.0 } else if x < -50.0 { -50.0 } else { x };
    let (k, r) = exp_parts_f64(held);
    // Half of 2^k, which does not overflow.
    let half = f64::from_bits(((k + 1022) as u64) << 52);
    let y = half.mul_add(exp_m1_core_f64(r), half - 0.5) * 2.0;
    if x.abs() < 1.0e-17 { x } else { y }
}

/// `e^x / 2` for `f32` and `x >= 0`, which overflows only where the hyperbolic functions do. Source: this library's own.
fn half_exp_f32(x: f32) -> f32 {
    let held = if x > 104.0 { 104.0 } else { x };
    let (k, r) = exp_parts_f32(held);
    scale_f32(1.0 + exp_m1_core_f32(r), k - 1)
}

/// `e^x / 2` for `f64` and `x >= 0`, which overflows only where the hyperbolic functions do. Source: this library's own.
fn half_exp_f64(x: f64) -> f64 {
    let held = if x > 746.0 { 746.0 } else { x };
    let (k, r) = exp_parts_f64(held);
    scale_f64(1.0 + exp_m1_core_f64(r), k - 1)
}

/// `sinh(x)` for `f32`: at most 2 ulp; a polynomial below 1. Source: this library's own.
fn sinh_f32(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let p = z.mul_add(0.00020372776, 0.008330277);
    let p = z.mul_add(p, 0.16666716);
    let small = (x * z).mul_add(p, x);
    let e = half_exp_f32(a);
    let large = e - 0.25 / e;
    if a < 1.0 { small } else if x < 0.0 { -large } else { large }
}

/// `sinh(x)` for `f64`: at most 2 ulp; a polynomial below 1. Source: this library's own.
fn sinh_f64(x: f64) -> f64 {
    let a = x.abs();
    let z = x * x;
    let p = z.mul_add(7.758859056572687e-13, 1.6057256254247762e-10);
    let p = z.mul_add(p, 2.5052123180210747e-08);
    let p = z.mul_add(p, 2.7557319156809548e-06);
    let p = z.mul_add(p, 0.00019841269841432664);
    let p = z.mul_add(p, 0.008333333333333146);
    let p = z.mul_add(p, 0.16666666666666669);
    let small = (x * z).mul_add(p, x);
    let e = half_exp_f64(a);
    let large = e - 0.25 / e;
    if a < 1.0 { small } else if x < 0.0 { -large } else { large }
}

/// `cosh(x)` for `f32`: at most 2 ulp. Source: this library's own.
fn cosh_f32(x: f32) -> f32 {
    let e = half_exp_f32(x.abs());
    e + 0.25 / e
}

/// `cosh(x)` for `f64`: at most 2 ulp. Source: this library's own.
fn cosh_f64(x: f64) -> f64 {
    let e = half_exp_f64(x.abs());
    e + 0.25 / e
}

/// `tanh(x)` for `f32`: at most 2 ulp; a polynomial below 0.56. Source: this library's own.
fn tanh_f32(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let p = z.mul_add(-0.0061987233, 0.02102056);
    let p = z.mul_add(p, -0.05384052);
    let p = z.mul_add(p, 0.1333248);
    let p = z.mul_add(p, -0.33333313);
    let small = (x * z).mul_add(p, x);
    // Beyond 10 it is 1.
    let held = if a > 10.0 { 10.0 } else { a };
    let large = 1.0 - 2.0 / (exp_f32(2.0 * held) + 1.0);
    if x == 0.0 { x } else if a < 0.56 { small } else if x < 0.0 { -large } else { large }
}

/// `tanh(x)` for `f64`: at most 2 ulp, from `e^(2x) - 1`. Source: this library's own.
fn tanh_f64(x: f64) -> f64 {
    let a = x.abs();
    // Beyond 22 it is 1.
    let t = exp_m1_f64(if a > 22.0 { 44.0 } else { 2.0 * a });
    let y = t / (t + 2.0);
    if a < 1.0e-10 { x } else if x < 0.0 { -y } else { y }
}

/// `sinh^-1(x)` for `f64`: at most 2 ulp. Source: this library's own.
fn asinh_f64(x: f64) -> f64 {
    let a = x.abs();
    let z = a * a;
    let small = ln_1p_f64(a + z / (1.0 + (z + 1.0).sqrt()));
    let large = ln_f64(a) + 0.6931471805599453;
    let y = if a < 1.0e9 { small } else { large };
    if a < 1.0e-9 { x } else if x < 0.0 { -y } else { y }
}

/// `cosh^-1(x)` for `f64`: at most 2 ulp; NaN below 1. Source: this library's own.
fn acosh_f64(x: f64) -> f64 {
    let t = x - 1.0;
    let small = ln_1p_f64(t + (t * (t + 2.0)).sqrt());
    if x < 1.0 { f64::NAN } else if x < 1.0e9 { small } else { ln_f64(x) + 0.6931471805599453 }
}

/// `tanh^-1(x)` for `f64`: at most 2 ulp; infinite at -1 and 1, NaN beyond. Source: this library's own.
fn atanh_f64(x: f64) -> f64 {
    let a = x.abs();
    let y = 0.5 * ln_1p_f64(2.0 * a / (1.0 - a));
    if a < 1.0e-9 { x } else if x < 0.0 { -y } else { y }
}

/// `sinh^-1(x)` for `f32`, by way of `f64`: at most 1 ulp. Source: this library's own.
fn asinh_f32(x: f32) -> f32 {
    asinh_f64(x as f64) as f32
}

/// `cosh^-1(x)` for `f32`, by way of `f64`: at most 1 ulp. Source: this library's own.
fn acosh_f32(x: f32) -> f32 {
    acosh_f64(x as f64) as f32
}

/// `tanh^-1(x)` for `f32`, by way of `f64`: at most 1 ulp. Source: this library's own.
fn atanh_f32(x: f32) -> f32 {
    atanh_f64(x as f64) as f32
}
