/// A positive `x` as `2^k (1 + f)`, `f` from -1/3 to 1/3. Source: this library's own.
fn ln_parts_f32(x: f32) -> (f32, f32) {
    let tiny = x < 1.1754944e-38;
    let scaled = if tiny { x * 8388608.0 } else { x };
    // Counted from 2/3, the exponent changes where the mantissa passes it.
    let b = scaled.to_bits() - 0x3f2aaaab;
    let k = (b as i32 >> 23) as f32;
    (if tiny { k - 23.0 } else { k }, f32::from_bits((b & 0x007fffff) + 0x3f2aaaab) - 1.0)
}

/// A positive `x` as `2^k (1 + f)`, `1 + f` from `sqrt(1/2)` to `sqrt(2)`. Source: this library's own.
fn ln_parts_f64(x: f64) -> (f64, f64) {
    let tiny = x < 2.2250738585072014e-308;
    let scaled = if tiny { x * 18014398509481984.0 } else { x };
    let b = scaled.to_bits() - 0x3fe6a09e667f3bcd;
    let k = ((b >> 32) as i32 >> 20) as f64;
    (if tiny { k - 54.0 } else { k }, f64::from_bits((b & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0)
}

/// `ln(1 + f) - f` for `f` from -1/3 to 1/3: `-f^2 / 2 + f^3 P(f)`, P minimax of degree 8 (error 2^-29.9).
/// Source: this library's own.
fn ln_tail_f32(f: f32) -> f32 {
    let p = f.mul_add(0.12114053, -0.12947308);
    let p = f.mul_add(p, 0.10729201);
    let p = f.mul_add(p, -0.12174764);
    let p = f.mul_add(p, 0.143064);
    let p = f.mul_add(p, -0.166809);
    let p = f.mul_add(p, 0.19999543);
    let p = f.mul_add(p, -0.24999796);
    let p = f.mul_add(p, 0.33333337);
    f * f * f.mul_add(p, -0.5)
}

/// `ln(1 + f)` for `f` from -1/3 to 1/3. Source: this library's own.
fn ln_core_f32(f: f32) -> f32 {
    f + ln_tail_f32(f)
}

/// `ln(1 + f)` for `1 + f` from `sqrt(1/2)` to `sqrt(2)`, as `2 atanh(s)`, `s = f / (2 + f)`: with `h = f^2 / 2` it is
/// `f - (h - s (h + s^2 P(s^2)))`, P minimax of degree 6 (error 2^-59.4). Source: this library's own.
fn ln_core_f64(f: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let p = z.mul_add(0.1481107435747716, 0.15312618243985643);
    let p = z.mul_add(p, 0.18183617021702328);
    let p = z.mul_add(p, 0.22222197626739545);
    let p = z.mul_add(p, 0.285714287509036);
    let p = z.mul_add(p, 0.39999999999379837);
    let p = z.mul_add(p, 0.666666666666674);
    let h = 0.5 * f * f;
    f - (h - s * z.mul_add(p, h))
}

/// What a logarithm is where its argument is not a positive finite number: NaN below 0, `-inf` at 0, else the argument.
/// Source: this library's own.
fn ln_edge_f32(x: f32) -> f32 {
    if x == 0.0 { f32::NEG_INFINITY } else if x < 0.0 { f32::NAN } else { x }
}

/// What a logarithm is where its argument is not a positive finite number: NaN below 0, `-inf` at 0, else the argument.
/// Source: this library's own.
fn ln_edge_f64(x: f64) -> f64 {
    if x == 0.0 { f64::NEG_INFINITY } else if x < 0.0 { f64::NAN } else { x }
}

/// `ln(x)` for `f32`: at most 1 ulp. Source: this library's own.
fn ln_f32(x: f32) -> f32 {
    let (k, f) = ln_parts_f32(x);
    let y = k.mul_add(0.6931472, k.mul_add(-1.9046542e-9, ln_core_f32(f)));
    if x > 0.0 && x < f32::INFINITY { y } else { ln_edge_f32(x) }
}

/// `ln(x)` for `f64`: at most 2 ulp. Source: this library's own.
fn ln_f64(x: f64) -> f64 {
    let (k, f) = ln_parts_f64(x);
    let y = k.mul_add(0.6931471805599453, k.mul_add(2.3190468138462996e-17, ln_core_f64(f)));
    if x > 0.0 && x < f64::INFINITY { y } else { ln_edge_f64(x) }
}

/// `log2(x)` for `f32`: at most 2 ulp, exact for powers of two. Source: this library's own.
fn log2_f32(x: f32) -> f32 {
    let (k, f) = ln_parts_f32(x);
    let tail = ln_tail_f32(f);
    let p = f * 1.442695;
    let y = k + p;
    let low = (p - (y - k)) + f.mul_add(1.442695, -p);
    let y = y + (low + tail.mul_add(1.442695, f * 1.925963e-8));
    if x > 0.0 && x < f32::INFINITY { y } else { ln_edge_f32(x) }
}

/// `log2(x)` for `f64`: at most 2 ulp, exact for powers of two. Source: this library's own.
fn log2_f64(x: f64) -> f64 {
    let (k, f) = ln_parts_f64(x);
    let l = ln_core_f64(f);
    let y = k + l.mul_add(1.4426950408889634, l * 2.0355273740931033e-17);
    if x > 0.0 && x < f64::INFINITY { y } else { ln_edge_f64(x) }
}

/// `log10(x)` for `f32`: at most 2 ulp. Source: this library's own.
fn log10_f32(x: f32) -> f32 {
    let (k, f) = ln_parts_f32(x);
    let tail = ln_tail_f32(f);
    let p = f * 0.4342945;
    // Exact: the constant has 11 bits.
    let n = k * 0.301025390625;
    let y = n + p;
    let low = (p - (y - n)) + f.mul_add(0.4342945, -p);
    let y = y + (low + tail.mul_add(0.4342945, k.mul_add(4.605039e-6, f * -1.010305e-8)));
    if x > 0.0 && x < f32::INFINITY { y } else { ln_edge_f32(x) }
}

/// `log10(x)` for `f64`: at most 2 ulp. Source: this library's own.
fn log10_f64(x: f64) -> f64 {
    let (k, f) = ln_parts_f64(x);
    let l = ln_core_f64(f);
    let low = k.mul_add(-2.8037281277851704e-18, l * 1.098319650216765e-17);
    let y = k.mul_add(0.3010299956639812, l.mul_add(0.4342944819032518, low));
    if x > 0.0 && x < f64::INFINITY { y } else { ln_edge_f64(x) }
}

/// `ln(1 + x)` for `f32`: at most 2 ulp. What `1 + x` loses is put back as a term of first order, before the polynomial
/// where the exponent is 0. Source: this library's own.
fn ln_1p_f32(x: f32) -> f32 {
    let u = 1.0 + x;
    let lost = if x < 1.0 { x - (u - 1.0) } else { 1.0 - (u - x) };
    let (k, f) = ln_parts_f32(u);
    // For k = 0 the fraction is x itself, no more and no less.
    let g = if k == 0.0 { x } else { f };
    let c = if k == 0.0 { 0.0 } else { lost / u };
    let y = k.mul_add(0.6931472, ln_core_f32(g) + k.mul_add(-1.9046542e-9, c));
    if x.abs() < 1.0e-8 { x } else if x > -1.0 && x < f32::INFINITY { y } else { ln_edge_f32(u) }
}

/// `ln(1 + x)` for `f64`: at most 2 ulp. What `1 + x` loses is put back as a term of first order, before the polynomial
/// where the exponent is 0. Source: this library's own.
fn ln_1p_f64(x: f64) -> f64 {
    let u = 1.0 + x;
    let lost = if x < 1.0 { x - (u - 1.0) } else { 1.0 - (u - x) };
    let (k, f) = ln_parts_f64(u);
    // For k = 0 the fraction is x itself, no more and no less.
    let g = if k == 0.0 { x } else { f };
    let c = if k == 0.0 { 0.0 } else { lost / u };
    let y = k.mul_add(0.6931471805599453, ln_core_f64(g) + k.mul_add(2.3190468138462996e-17, c));
    if x.abs() < 1.0e-17 { x } else if x > -1.0 && x < f64::INFINITY { y } else { ln_edge_f64(u) }
}
