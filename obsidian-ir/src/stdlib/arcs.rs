/// The angle whose tangent is `y / x`, both not negative, from 0 to `pi/2`: one division, and a minimax polynomial on
/// 0 .. 1 (error 2^-28.5). Source: this library's own.
fn ratio_atan_f32(y: f32, x: f32) -> f32 {
    let steep = y > x;
    let t = if steep { x / y } else { y / x };
    let z = t * t;
    let p = z.mul_add(-0.001793521, 0.010914187);
    let p = z.mul_add(p, -0.031177137);
    let p = z.mul_add(p, 0.05795697);
    let p = z.mul_add(p, -0.084034204);
    let p = z.mul_add(p, 0.10952178);
    let p = z.mul_add(p, -0.14264241);
    let p = z.mul_add(p, 0.19998549);
    let p = z.mul_add(p, -0.333333);
    let tail = t * z * p;
    if steep { 1.5707964 - (t + (tail + 4.371139e-8)) } else { t + tail }
}

/// The angle whose tangent is `y / x`, both not negative, from 0 to `pi/2`: one division, of what is left after 0, 1 or 2
/// eighths of a turn, and a minimax polynomial up to `tan(pi/8)` (error 2^-59.4). Source: this library's own.
fn ratio_atan_f64(y: f64, x: f64) -> f64 {
    // Away from both ends of the exponents, where sums overflow and products vanish.
    let most = x.max(y);
    let by = if most > 8.0e307 { 0.25 } else if most < 1.0e-290 { 1152921504606846976.0 } else { 1.0 };
    let (y, x) = (y * by, x * by);
    let steep = y > 2.414213562373095 * x;
    let flat = y < 0.41421356237309503 * x;
    let above = if flat { y } else if steep { -x } else { y - x };
    let below = if flat { x } else if steep { y } else { y + x };
    let t = above / below;
    let z = t * t;
    let p = z.mul_add(-0.017890203826589072, 0.03804886033471041);
    let p = z.mul_add(p, -0.050386789090911446);
    let p = z.mul_add(p, 0.05847748382873413);
    let p = z.mul_add(p, -0.06663084350375469);
    let p = z.mul_add(p, 0.07692058447324338);
    let p = z.mul_add(p, -0.0909089765608532);
    let p = z.mul_add(p, 0.11111110779835573);
    let p = z.mul_add(p, -0.14285714280122128);
    let p = z.mul_add(p, 0.1999999999995283);
    let p = z.mul_add(p, -0.3333333333333319);
    let turn = if flat { 0.0 } else if steep { 1.5707963267948966 } else { 0.7853981633974483 };
    let turn_low = if flat { 0.0 } else if steep { 6.123233995736766e-17 } else { 3.061616997868383e-17 };
    turn + (t + (t * z).mul_add(p, turn_low))
}

/// `tan^-1(x)` for `f32`: at most 2 ulp. Source: this library's own.
fn atan_f32(x: f32) -> f32 {
    let y = ratio_atan_f32(x.abs(), 1.0);
    if x < 0.0 { -y } else if x == 0.0 { x } else { y }
}

/// `tan^-1(x)` for `f64`: at most 2 ulp. Source: this library's own.
fn atan_f64(x: f64) -> f64 {
    let y = if x.abs() < 1.0e300 { ratio_atan_f64(x.abs(), 1.0) } else { 1.5707963267948966 };
    if x < 0.0 { -y } else if x == 0.0 || x != x { x } else { y }
}

/// The angle of the point `(x, y)` for `f32`, from `-pi` to `pi`: at most 2 ulp; signs of zeros count.
/// Source: IEEE 754-2019, 9.2.1 (`atan2`).
fn atan2_f32(y: f32, x: f32) -> f32 {
    let (a, b) = (y.abs(), x.abs());
    let even = a == b;
    // Both infinite, or both zero: 1/1 and 0/1.
    let top = if even { if a == 0.0 { 0.0 } else { 1.0 } } else { a };
    let r = ratio_atan_f32(top, if even { 1.0 } else { b });
    let left = x < 0.0 || (x == 0.0 && 1.0 / x < 0.0);
    let r = if left { 3.1415927 - (r + 8.742278e-8) } else { r };
    if x != x || y != y { f32::NAN } else if y < 0.0 || (y == 0.0 && 1.0 / y < 0.0) { -r } else { r }
}

/// The angle of the point `(x, y)` for `f64`, from `-pi` to `pi`: at most 2 ulp; signs of zeros count.
/// Source: IEEE 754-2019, 9.2.1 (`atan2`).
fn atan2_f64(y: f64, x: f64) -> f64 {
    let (a, b) = (y.abs(), x.abs());
    let even = a == b;
    // Both infinite, or both zero: 1/1 and 0/1.
    let top = if even { if a == 0.0 { 0.0 } else { 1.0 } } else if a == f64::INFINITY { 1.0 } else if b == f64::INFINITY { 0.0 } else { a };
    let under = if even { 1.0 } else if a == f64::INFINITY { 0.0 } else if b == f64::INFINITY { 1.0 } else { b };
    let r = ratio_atan_f64(top, under);
    let left = x < 0.0 || (x == 0.0 && 1.0 / x < 0.0);
    let r = if left { 3.141592653589793 - (r - 1.2246467991473532e-16) } else { r };
    if x != x || y != y { f64::NAN } else if y < 0.0 || (y == 0.0 && 1.0 / y < 0.0) { -r } else { r }
}

/// `(sin^-1(s) - s) / s` for `z = s^2` up to 1/4: `z P(z)`, P minimax of degree 4 (error 2^-27.6).
/// Source: this library's own.
fn asin_core_f32(z: f32) -> f32 {
    let p = z.mul_add(0.04222753, 0.024145657);
    let p = z.mul_add(p, 0.045476764);
    let p = z.mul_add(p, 0.074952506);
    let p = z.mul_add(p, 0.16666754);
    z * p
}

/// `(sin^-1(s) - s) / s` for `z = s^2` up to 1/4: `z P(z)`, P minimax of degree 11 (error 2^-55.9).
/// Source: this library's own.
fn asin_core_f64(z: f64) -> f64 {
    let p = z.mul_add(0.03202707758693999, -0.016389032556866447);
    let p = z.mul_add(p, 0.019631467975515134);
    let p = z.mul_add(p, 0.006490956064719753);
    let p = z.mul_add(p, 0.012177602365049696);
    let p = z.mul_add(p, 0.01388398484195671);
    let p = z.mul_add(p, 0.017359828411210393);
    let p = z.mul_add(p, 0.022371750064161967);
    let p = z.mul_add(p, 0.030381959460323113);
    let p = z.mul_add(p, 0.0446428568207467);
    let p = z.mul_add(p, 0.0750000000034585);
    let p = z.mul_add(p, 0.16666666666665372);
    z * p
}

/// `sin^-1(x)` for `f32`: at most 2 ulp; NaN beyond -1 and 1. Above 1/2 from the half angle. Source: this library's own.
fn asin_f32(x: f32) -> f32 {
    let a = x.abs();
    let far = a > 0.5;
    let z = if far { 0.5 - 0.5 * a } else { a * a };
    let s = if far { z.sqrt() } else { a };
    let tail = s * asin_core_f32(z);
    let d = 1.5707964 - 2.0 * s;
    let lost = (1.5707964 - d) - 2.0 * s;
    let y = if far { d - ((2.0 * tail + 4.371139e-8) - lost) } else { s + tail };
    if x < 0.0 { -y } else if x == 0.0 { x } else { y }
}

/// `sin^-1(x)` for `f64`: at most 2 ulp; NaN beyond -1 and 1. Above 1/2 from the half angle. Source: this library's own.
fn asin_f64(x: f64) -> f64 {
    let a = x.abs();
    let far = a > 0.5;
    let z = if far { 0.5 - 0.5 * a } else { a * a };
    let s = if far { z.sqrt() } else { a };
    let y = s.mul_add(asin_core_f64(z), s);
    let y = if far { 1.5707963267948966 - (2.0 * y - 6.123233995736766e-17) } else { y };
    if x < 0.0 { -y } else if x == 0.0 { x } else { y }
}

/// `cos^-1(x)` for `f32`: at most 2 ulp; NaN beyond -1 and 1. Above 1/2 from the half angle. Source: this library's own.
fn acos_f32(x: f32) -> f32 {
    let a = x.abs();
    let far = a > 0.5;
    let z = if far { 0.5 - 0.5 * a } else { a * a };
    let s = if far { z.sqrt() } else { x };
    let y = s.mul_add(asin_core_f32(z), s);
    let near = 1.5707964 - (y + 4.371139e-8);
    if !far { near } else if x < 0.0 { 3.1415927 - (2.0 * y + 8.742278e-8) } else { 2.0 * y }
}

/// `cos^-1(x)` for `f64`: at most 2 ulp; NaN beyond -1 and 1. Above 1/2 from the half angle. Source: this library's own.
fn acos_f64(x: f64) -> f64 {
    let a = x.abs();
    let far = a > 0.5;
    let z = if far { 0.5 - 0.5 * a } else { a * a };
    let s = if far { z.sqrt() } else { x };
    let y = s.mul_add(asin_core_f64(z), s);
    let near = 1.5707963267948966 - (y - 6.123233995736766e-17);
    if !far { near } else if x < 0.0 { 3.141592653589793 - (2.0 * y - 1.2246467991473532e-16) } else { 2.0 * y }
}
