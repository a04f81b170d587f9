//! `cvt` (PTX ISA §9.7.9) between all types, and half precision by hand.

use crate::float::nan;
use crate::op::{Clamp, Round};
use crate::types::{Kind, Type};

/// Converts a register's bits.
pub(crate) fn convert(to: Type, from: Type, round: Round, saturate: Clamp, raw: u64) -> u64 {
    let float = |t: Type| matches!(t.kind, Kind::Float | Kind::Brain);
    match (float(from), float(to)) {
        (false, false) => to.extend(clamped(to, saturate, from.integer(raw))),
        (false, true) => from_integer(to, from.integer(raw)),
        (true, false) => to_integer(to, round, to_f64(from, raw)),
        (true, true) => between(to, from, round, saturate, raw),
    }
}

fn clamped(to: Type, saturate: Clamp, v: i128) -> u64 {
    let (lo, hi) = to.limits();
    (if saturate == Clamp::On { v.clamp(lo, hi) } else { v }) as u64
}

/// Rounded to nearest even.
fn from_integer(to: Type, v: i128) -> u64 {
    match to.bits {
        32 => u64::from((v as f32).to_bits()),
        64 => (v as f64).to_bits(),
        // 64 bits do not fit in an `f64`; what is lost there is far below half a unit of 16 bits, and made sticky.
        _ => from_f64(to, sticky(v)),
    }
}

/// An `f64` near `v` that rounds to 16 bits as `v` itself would.
fn sticky(v: i128) -> f64 {
    let cut = v & !0x7ff;
    if v.unsigned_abs() < 1 << 53 { v as f64 } else { (cut | i128::from(v != cut) << 11) as f64 }
}

/// Rounded to an integer, clamped to the type; a NaN is 0 where both types have at most 32 bits (as f32 to s32), else
/// the sign bit's pattern `0x80..0` (PTX ISA §9.7.9, cvt: notes on NaN).
fn to_integer(to: Type, round: Round, v: f64) -> u64 {
    if v.is_nan() {
        return if to.bits == 64 { 1 << 63 } else { 0 };
    }
    let whole = rounded(round, v);
    let (lo, hi) = to.limits();
    to.extend((whole as i128).clamp(lo, hi) as u64)
}

fn rounded(round: Round, v: f64) -> f64 {
    match round {
        Round::Nearest => v.round_ties_even(),
        Round::Zero => v.trunc(),
        Round::Down => v.floor(),
        Round::Up => v.ceil(),
    }
}

fn between(to: Type, from: Type, round: Round, saturate: Clamp, raw: u64) -> u64 {
    let v = to_f64(from, raw);
    if v.is_nan() {
        return if saturate == Clamp::On { 0 } else { nan(to) };
    }
    // Of one type to itself `cvt` rounds to a whole number.
    let v = if to == from { rounded(round, v) } else { v };
    let v = if saturate == Clamp::On { v.clamp(0.0, 1.0) } else { v };
    from_f64(to, v)
}

/// A float's value.
pub(crate) fn to_f64(ty: Type, raw: u64) -> f64 {
    match (ty.kind, ty.bits) {
        (Kind::Brain, _) => f64::from(f32::from_bits((raw as u32) << 16)),
        (_, 16) => from_half(raw as u16),
        (_, 32) => f64::from(f32::from_bits(raw as u32)),
        _ => f64::from_bits(raw),
    }
}

/// The nearest float of the type, ties to even.
pub(crate) fn from_f64(ty: Type, v: f64) -> u64 {
    match (ty.kind, ty.bits) {
        (Kind::Brain, _) => to_small(v, 8),
        (_, 16) => to_small(v, 5),
        (_, 32) => u64::from((v as f32).to_bits()),
        _ => v.to_bits(),
    }
}

fn from_half(bits: u16) -> f64 {
    let (e, m) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match e {
        0 => m * 2f64.powi(-24),
        31 if m == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + m) * 2f64.powi(e - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// A 16-bit float with that many bits of exponent.
fn to_small(v: f64, exponent: u32) -> u64 {
    let mantissa = 15 - exponent;
    let bias = (1i32 << (exponent - 1)) - 1;
    let sign = u64::from(v.is_sign_negative()) << 15;
    let infinity = ((1u64 << exponent) - 1) << mantissa;
    if v.is_nan() {
        return 0x7fff;
    }
    let size = v.abs();
    if size.is_infinite() {
        return sign | infinity;
    }
    if size == 0.0 {
        return sign;
    }
    // The unit of the last place at this size; below the least normal number it stays.
    let e = (((size.to_bits() >> 52) as i32) - 1023).max(1 - bias);
    let units = (size / 2f64.powi(e - mantissa as i32)).round_ties_even() as u64;
    // One more exponent step where the rounding carried; the sum below does that by itself.
    let magnitude =
        if units < 1 << mantissa { units } else { (((e + bias) as u64) << mantissa) + units - (1 << mantissa) };
    sign | magnitude.min(infinity)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(name: &str) -> Type {
        Type::parse(name).unwrap()
    }

    #[test]
    fn every_half_survives() {
        for bits in 0..=0x7c00u64 {
            for bits in [bits, bits | 0x8000] {
                assert_eq!(from_f64(ty("f16"), to_f64(ty("f16"), bits)), bits, "{bits:#x}");
            }
        }
        assert_eq!(from_f64(ty("f16"), 65519.0), 0x7bff);
        assert_eq!(from_f64(ty("f16"), 65520.0), 0x7c00);
        assert_eq!(from_f64(ty("f16"), 2f64.powi(-25)), 0);
        assert_eq!(from_f64(ty("f16"), 1.5 * 2f64.powi(-25)), 1);
    }

    #[test]
    fn brain_floats_are_cut_singles() {
        for bits in [0u64, 1, 0x80, 0x3f80, 0x7f7f, 0x7f80, 0xff80] {
            assert_eq!(from_f64(ty("bf16"), to_f64(ty("bf16"), bits)), bits, "{bits:#x}");
        }
        let tie = f64::from(f32::from_bits(0x3f80_8000));
        assert_eq!(from_f64(ty("bf16"), tie), 0x3f80);
        assert_eq!(from_f64(ty("bf16"), f64::from(f32::from_bits(0x3f81_8000))), 0x3f82);
    }

    #[test]
    fn floats_to_integers_clamp() {
        let to = |t: &str, v: f32| convert(ty(t), ty("f32"), Round::Zero, Clamp::Off, v.to_bits().into());
        assert_eq!(to("s32", -1.9), u64::MAX);
        assert_eq!(to("s32", 3e9), i32::MAX as u64);
        assert_eq!(to("u32", -5.0), 0);
        assert_eq!(to("s32", f32::NAN), 0);
        assert_eq!(to("s64", f32::NAN), 1 << 63);
    }

    #[test]
    fn narrow_sources_are_extended() {
        let of = |t: &str, f: &str, v: u64| convert(ty(t), ty(f), Round::Nearest, Clamp::Off, v);
        assert_eq!(of("s32", "s8", 0x1ff), u64::MAX);
        assert_eq!(of("u32", "u8", 0x1ff), 0xff);
        assert_eq!(of("u64", "u32", u64::MAX), 0xffff_ffff);
        assert_eq!(of("s64", "s32", 0xffff_ffff), u64::MAX);
        assert_eq!(of("f16", "u64", u64::MAX), 0x7c00);
    }
}
