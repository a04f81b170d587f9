/// The high 64 bits of the product, from four products of halves. Source: this library's own.
fn mul_high(a: u64, b: u64) -> u64 {
    let (a1, a0) = (a >> 32, a & 0xffffffff);
    let (b1, b0) = (b >> 32, b & 0xffffffff);
    let (cross, other) = (a1 * b0, a0 * b1);
    let middle = (a0 * b0 >> 32) + (cross & 0xffffffff) + (other & 0xffffffff);
    a1 * b1 + (cross >> 32) + (other >> 32) + (middle >> 32)
}

/// `|x|` as quarter turns: their number modulo 4, and the rest in radians from `-pi/4` to `pi/4` as the sum of two
/// numbers. In integers: 96 bits of `2/pi`, those whose product with the mantissa lies between 2^1 and 2^-62, are cut
/// from a table by the exponent; so every argument is reduced alike and exactly.
/// Source: M. Payne, R. Hanek, Radian reduction for trigonometric functions, 1983.
fn quarter_turns_f32(x: f32) -> (u32, f32, f32) {
    let b = x.to_bits() & 0x7fffffff;
    let m = (b & 0x007fffff | 0x00800000) as u64;
    let at = (b >> 23).max(126) - 126;
    let shift = (at & 63) as u64;
    let (w1, w2, w3) = (0x91054a7f09d5f47d, 0x4d377036d8a5664f, 0x10e4107f9458eaf7);
    let (word, i) = (0x00000028be60db93u64, at >> 6);
    let high = if i == 0 { word } else if i == 1 { w1 } else { w2 };
    let middle = if i == 0 { w1 } else if i == 1 { w2 } else { w3 };
    let low = if i == 0 { w2 } else { w3 };
    let first = high << shift | middle >> 1 >> (63 - shift);
    let second = middle << shift | low >> 1 >> (63 - shift);
    let turns = first * m + ((second >> 32) * m >> 32);
    let q = (turns + 0x2000000000000000) >> 62;
    let rest = (turns - (q << 62)) as i64;
    // Three pieces that are exact as floats, as the sum of two numbers.
    let high = (rest >> 40) as i32 as f32 * 1.0995116e12;
    let middle = (rest >> 16 & 0xffffff) as i32 as f32 * 65536.0;
    let r = high + middle;
    let r_low = (middle - (r - high)) + (rest & 0xffff) as i32 as f32;
    // To radians: times pi/2 * 2^-62, in twice the precision.
    let p = r * 3.4061217e-19;
    let e = r.mul_add(3.4061217e-19, -p) + r.mul_add(-9.478396e-27, r_low * 3.4061217e-19);
    let y = p + e;
    let near = b < 0x3f490fdb;
    (if near { 0 } else { q as u32 }, if near { x.abs() } else { y }, if near { 0.0 } else { e - (y - p) })
}

/// A word of `2/pi` for the reduction of an `f64`, after 55 zeros: a table. Source: this library's own.
fn two_over_pi(i: u32) -> u64 {
    let four = |a: u64, b: u64, c: u64, d: u64| if i & 2 == 0 { if i & 1 == 0 { a } else { b } } else { if i & 1 == 0 { c } else { d } };
    let low = four(0x0000000000000145, 0xf306dc9c882a53f8, 0x4eafa3ea69bb81b6, 0xc52b3278872083fc);
    let a = four(0xa2c757bd778ac36e, 0x48dc74849ba5c00c, 0x925dd413a32439fc, 0x3bd63962534e7dd1);
    let b = four(0x046bea5d768909d3, 0x38e04d68befc8273, 0x23ac7306a673e939, 0x08bf177bf250763f);
    let c = four(0xf12fffbc0b301fde, 0x5e2316b414da3eda, 0x6cfd9e4f96136e9e, 0x8c7ecd3cbfd45aea);
    let d = four(0x4f758fd7cbe2f67a, 0x0e73ef14a525d4d7, 0xf6bf623f1aba10ac, 0x6608df8f6d757e1e);
    let j = i >> 2;
    if j < 2 { if j == 0 { low } else { a } } else if j == 2 { b } else if j == 3 { c } else { d }
}

/// `|x|` as quarter turns, as `quarter_turns_f32` does it, with 192 bits of `2/pi`. Source: M. Payne, R. Hanek, Radian
/// reduction for trigonometric functions, 1983.
fn quarter_turns_f64(x: f64) -> (u32, f64, f64) {
    let b = x.to_bits() & 0x7fffffffffffffff;
    let m = b & 0x000fffffffffffff | 0x0010000000000000;
    let at = ((b >> 52) as u32).max(1022) - 1022;
    let (i, shift) = (at >> 6, (at & 63) as u64);
    let (w0, w1, w2, w3) = (two_over_pi(i), two_over_pi(i + 1), two_over_pi(i + 2), two_over_pi(i + 3));
    let first = w0 << shift | w1 >> 1 >> (63 - shift);
    let second = w1 << shift | w2 >> 1 >> (63 - shift);
    let third = w2 << shift | w3 >> 1 >> (63 - shift);
    let product = second * m;
    let fine = product + mul_high(third, m);
    let turns = first * m + mul_high(second, m) + (if fine < product { 1 } else { 0 });
    let q = (turns + 0x2000000000000000) >> 62;
    let rest = (turns - (q << 62)) as i64;
    let high = (rest >> 32) as i32 as f64 * 4294967296.0;
    let low = (rest & 0xffffffff) as u32 as f64;
    let whole = high + low;
    let part = (low - (whole - high)) + fine as f64 * 5.421010862427522e-20;
    let r = whole + part;
    let r_low = part - (r - whole);
    // To radians: times pi/2 * 2^-62, in twice the precision.
    let p = r * 3.4061215800865545e-19;
    let e = r.mul_add(3.4061215800865545e-19, -p) + r.mul_add(1.3277647201629795e-35, r_low * 3.4061215800865545e-19);
    let y = p + e;
    let near = b < 0x3fe921fb54442d18;
    (if near { 0 } else { q as u32 }, if near { x.abs() } else { y }, if near { 0.0 } else { e - (y - p) })
}

/// `sin` of `q` quarter turns and `r + low` radians: minimax polynomials (errors 2^-28 and 2^-33).
/// Source: this library's own.
fn turned_sin_f32(q: u32, r: f32, low: f32) -> f32 {
    let z = r * r;
    let s = z.mul_add(-0.0001951463, 0.008332156);
    let s = z.mul_add(s, -0.16666655);
    let s = r + (r * z).mul_add(s, low);
    let c = z.mul_add(2.4432395e-05, -0.001388731);
    let c = z.mul_add(c, 0.041666646);
    let c = z.mul_add(z.mul_add(c, -0.5), 1.0);
    let y = if q & 1 == 0 { s } else { c };
    if q & 2 == 0 { y } else { -y }
}

/// `sin` of `q` quarter turns and `r + low` radians: minimax polynomials (errors 2^-68 and 2^-63).
/// Source: this library's own.
fn turned_sin_f64(q: u32, r: f64, low: f64) -> f64 {
    let z = r * r;
    let s = z.mul_add(-7.578400971355865e-13, 1.6058360391630138e-10);
    let s = z.mul_add(s, -2.5052104860383743e-08);
    let s = z.mul_add(s, 2.7557319213983628e-06);
    let s = z.mul_add(s, -0.00019841269841254646);
    let s = z.mul_add(s, 0.008333333333333323);
    let s = z.mul_add(s, -0.16666666666666666);
    let s = r + (r * z).mul_add(s, low);
    let c = z.mul_add(-1.1358311916526865e-11, 2.087569660907849e-09);
    let c = z.mul_add(c, -2.755731414897501e-07);
    let c = z.mul_add(c, 2.4801587288749772e-05);
    let c = z.mul_add(c, -0.0013888888888872897);
    let c = z.mul_add(c, 0.041666666666666595);
    let h = 0.5 * z;
    let c = 1.0 - (h - (z * z).mul_add(c, -r * low));
    let y = if q & 1 == 0 { s } else { c };
    if q & 2 == 0 { y } else { -y }
}

/// `sin(x)` for `f32`: at most 2 ulp over the whole range; NaN of infinities. Source: this library's own.
fn sin_f32(x: f32) -> f32 {
    let (q, r, low) = quarter_turns_f32(x);
    let y = turned_sin_f32(q, r, low);
    if !(x.abs() < f32::INFINITY) { f32::NAN } else if x < 0.0 { -y } else if x == 0.0 { x } else { y }
}

/// `cos(x)` for `f32`: at most 2 ulp over the whole range; NaN of infinities. Source: this library's own.
fn cos_f32(x: f32) -> f32 {
    let (q, r, low) = quarter_turns_f32(x);
    if x.abs() < f32::INFINITY { turned_sin_f32(q + 1, r, low) } else { f32::NAN }
}

/// `tan(x)` for `f32`: at most 2 ulp over the whole range; NaN of infinities. Source: this library's own.
fn tan_f32(x: f32) -> f32 {
    let (q, r, low) = quarter_turns_f32(x);
    let z = r * r;
    let p = z.mul_add(0.009405459, 0.003086634);
    let p = z.mul_add(p, 0.0244505);
    let p = z.mul_add(p, 0.053405687);
    let p = z.mul_add(p, 0.13338865);
    let p = z.mul_add(p, 0.33333156);
    let tail = (r * z).mul_add(p, low);
    let t = r + tail;
    // What the sum lost; and `low` counts 1 + t^2 times, of which only the 1 is in `tail`.
    let rest = (tail - (t - r)) + t * t * low;
    let y = -1.0 / t;
    let y = y.mul_add(y.mul_add(t, 1.0) + y * rest, y);
    let t = if q & 1 == 0 { t + rest } else { y };
    if !(x.abs() < f32::INFINITY) { f32::NAN } else if x < 0.0 { -t } else if x == 0.0 { x } else { t }
}

/// `sin(x)` for `f64`: at most 2 ulp over the whole range; NaN of infinities. Some 120 integer operations for the
/// reduction. Source: this library's own.
fn sin_f64(x: f64) -> f64 {
    let (q, r, low) = quarter_turns_f64(x);
    let y = turned_sin_f64(q, r, low);
    if !(x.abs() < f64::INFINITY) { f64::NAN } else if x < 0.0 { -y } else if x == 0.0 { x } else { y }
}

/// `cos(x)` for `f64`: at most 2 ulp over the whole range; NaN of infinities. Cost as of `sin_f64`.
/// Source: this library's own.
fn cos_f64(x: f64) -> f64 {
    let (q, r, low) = quarter_turns_f64(x);
    if x.abs() < f64::INFINITY { turned_sin_f64(q + 1, r, low) } else { f64::NAN }
}

/// `tan(x)` for `f64`: at most 2 ulp over the whole range; NaN of infinities. Cost as of `sin_f64`.
/// Source: this library's own.
fn tan_f64(x: f64) -> f64 {
    let (q, r, low) = quarter_turns_f64(x);
    let z = r * r;
    let p = z.mul_add(9.759149889244865e-06, -2.4094350438491993e-05);
    let p = z.mul_add(p, 4.8272811215835426e-05);
    let p = z.mul_add(p, -2.5198180527927078e-05);
    let p = z.mul_add(p, 6.687705749361558e-05);
    let p = z.mul_add(p, 8.374849951816916e-05);
    let p = z.mul_add(p, 0.00024367693477406394);
    let p = z.mul_add(p, 0.0005888853490497732);
    let p = z.mul_add(p, 0.001456041409167668);
    let p = z.mul_add(p, 0.0035921014583358006);
    let p = z.mul_add(p, 0.008863237867675495);
    let p = z.mul_add(p, 0.02186948840266303);
    let p = z.mul_add(p, 0.05396825397278215);
    let p = z.mul_add(p, 0.13333333333325562);
    let p = z.mul_add(p, 0.3333333333333338);
    let tail = (r * z).mul_add(p, low);
    let t = r + tail;
    let t = (t * t).mul_add(low, t);
    let t = if q & 1 == 0 { t } else { -1.0 / t };
    if !(x.abs() < f64::INFINITY) { f64::NAN } else if x < 0.0 { -t } else if x == 0.0 { x } else { t }
}
