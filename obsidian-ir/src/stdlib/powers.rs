/// `ln(x)` of a positive finite `x` as the sum of two numbers, to 2^-64 of its value: `2 s + s^3 (2/3 + s^2 P(s^2))` with
/// `s = f / (2 + f)`, all but P in twice the precision (P minimax of degree 6, error 2^-66.2).
/// Source: T. J. Dekker, A floating-point technique for extending the available precision, 1971 (sums and products).
fn ln_pair_f64(x: f64) -> (f64, f64) {
    let (k, f) = ln_parts_f64(x);
    let d = 2.0 + f;
    let s = f / d;
    let s_low = ((-s).mul_add(d, f) - s * (f - (d - 2.0))) / d;
    let z = s * s;
    let z_low = s.mul_add(s, -z) + 2.0 * s * s_low;
    let p = z.mul_add(0.13211180678706888, 0.13255260733257018);
    let p = z.mul_add(p, 0.15386822167954994);
    let p = z.mul_add(p, 0.1818178300792921);
    let p = z.mul_add(p, 0.2222222253484887);
    let p = z.mul_add(p, 0.2857142857001971);
    let p = z.mul_add(p, 0.4000000000000241);
    let tail = z.mul_add(p, 3.700743415417188e-17);
    let w = 0.6666666666666666 + tail;
    let w_low = (0.6666666666666666 - w) + tail;
    let c = s * z;
    let c_low = s.mul_add(z, -c) + s.mul_add(z_low, s_low * z);
    let t = c * w;
    let t_low = c.mul_add(w, -t) + c.mul_add(w_low, c_low * w);
    let l = 2.0 * s + t;
    let l_low = (2.0 * s - l) + t + (2.0 * s_low + t_low);
    // The product is exact: the constant has 42 bits.
    let n = k * 0.6931471805598903;
    let y = n + l;
    let part = y - n;
    let y_low = (n - (y - part)) + (l - part) + k.mul_add(5.497923018708371e-14, l_low);
    (y, y_low)
}

/// `e^(y ln x)` of a positive finite `x`: at most 2 ulp. Source: this library's own.
fn power_core_f64(x: f64, y: f64) -> f64 {
    let (l, l_low) = ln_pair_f64(x);
    let p = y * l;
    let held = if p > 746.0 { 746.0 } else if p < -746.0 { -746.0 } else { p };
    let low = if held == p { y.mul_add(l, -p) + y * l_low } else { 0.0 };
    let (k, r) = exp_parts_f64(held);
    scale_f64(1.0 + exp_m1_core_f64(r + low), k)
}

/// `e^(y ln x)` of a positive finite `x`, to the precision of `f32` only. Source: this library's own.
fn power_core_short(x: f64, y: f64) -> f64 {
    exp_f64(y * ln_f64(x))
}

/// `x^y` from its value for positive finite `x`: signs, zeros, infinities and NaN as IEEE 754 says.
/// Source: IEEE 754-2019, 9.2.1 (`pow`).
fn power_cases(x: f64, y: f64, core: impl Fn(f64, f64) -> f64) -> f64 {
    let a = x.abs();
    let whole = y.floor() == y;
    let odd = whole && (0.5 * y).floor() != 0.5 * y;
    let edge = a == 0.0 || a == f64::INFINITY;
    let vanishes = (a == 0.0) != (y < 0.0);
    let size = if edge { if vanishes { 0.0 } else { f64::INFINITY } } else if a == 1.0 && y == y { 1.0 } else { core(a, y) };
    let negative = x < 0.0 || (x == 0.0 && 1.0 / x < 0.0);
    let signed = if negative && odd { -size } else { size };
    let known = if x < 0.0 && !whole && a < f64::INFINITY { f64::NAN } else { signed };
    if y == 0.0 || x == 1.0 { 1.0 } else if x == x && y == y { known } else { f64::NAN }
}

/// `x^y` for `f64`: at most 2 ulp. Source: this library's own.
fn powf_f64(x: f64, y: f64) -> f64 {
    power_cases(x, y, |a, b| power_core_f64(a, b))
}

/// `x^y` for `f32`, by way of `f64`: at most 1 ulp. Source: this library's own.
fn powf_f32(x: f32, y: f32) -> f32 {
    power_cases(x as f64, y as f64, |a, b| power_core_short(a, b)) as f32
}

/// The cube root for `f32`: at most 1 ulp. A third of the exponent as a first guess, then a step of third order and one of
/// second order with an exact remainder. Source: E. Halley, 1694 (the step of third order).
fn cbrt_f32(x: f32) -> f32 {
    let a = x.abs();
    // Away from both ends of the exponents.
    let small = a < 1.0;
    let n = a * (if small { 16777216.0 } else { 0.125 });
    let g = f32::from_bits(n.to_bits() / 3 + 0x2a517d3c);
    let c = g * g * g;
    let t = g * ((c + n + n) / (c + c + n));
    let s = t * t;
    let rest = s.mul_add(t, -n) + t.mul_add(t, -s) * t;
    let y = t - rest / (3.0 * s);
    let y = y * (if small { 0.00390625 } else { 2.0 });
    if a == 0.0 || !(a < f32::INFINITY) { x } else if x < 0.0 { -y } else { y }
}

/// The cube root for `f64`: at most 1 ulp. A third of the exponent as a first guess, then two steps of third order and one
/// of second order with an exact remainder. Source: E. Halley, 1694 (the step of third order).
fn cbrt_f64(x: f64) -> f64 {
    let a = x.abs();
    // Away from both ends of the exponents.
    let small = a < 1.0;
    let n = a * (if small { 18014398509481984.0 } else { 0.125 });
    let g = f64::from_bits((((n.to_bits() >> 32) as u32 / 3 + 0x2a9f7893) as u64) << 32);
    let c = g * g * g;
    let g = g * ((c + n + n) / (c + c + n));
    let c = g * g * g;
    let t = g * ((c + n + n) / (c + c + n));
    let s = t * t;
    let rest = s.mul_add(t, -n) + t.mul_add(t, -s) * t;
    let y = t - rest / (3.0 * s);
    let y = y * (if small { 3.814697265625e-6 } else { 2.0 });
    if a == 0.0 || !(a < f64::INFINITY) { x } else if x < 0.0 { -y } else { y }
}

/// `sqrt(x^2 + y^2)` for `f32`, without overflow on the way: at most 2 ulp. Source: this library's own.
fn hypot_f32(x: f32, y: f32) -> f32 {
    let a = x.abs().max(y.abs());
    let b = x.abs().min(y.abs());
    // A power of two that brings the greater one to 1 .. 2; the exponent is held where the inverse is normal.
    let e = a.to_bits() >> 23;
    let e = e.max(25).min(252);
    let (down, up) = (f32::from_bits((254 - e) << 23), f32::from_bits(e << 23));
    let (p, q) = (a * down, b * down);
    let r = p.mul_add(p, q * q).sqrt() * up;
    if a == f32::INFINITY { a } else if x == x && y == y { r } else { f32::NAN }
}

/// `sqrt(x^2 + y^2)` for `f64`, without overflow on the way: at most 2 ulp. Source: this library's own.
fn hypot_f64(x: f64, y: f64) -> f64 {
    let a = x.abs().max(y.abs());
    let b = x.abs().min(y.abs());
    // A power of two that brings the greater one to 1 .. 2; the exponent is held where the inverse is normal.
    let e = a.to_bits() >> 52;
    let e = e.max(54).min(2044);
    let (down, up) = (f64::from_bits((2046 - e) << 52), f64::from_bits(e << 52));
    let (p, q) = (a * down, b * down);
    let r = p.mul_add(p, q * q).sqrt() * up;
    if a == f64::INFINITY { a } else if x == x && y == y { r } else { f64::NAN }
}
