//! Floating-point arithmetic on bits (PTX ISA §9.7.3): IEEE 754, round to nearest even, subnormals kept.

use std::cmp::Ordering;

use crate::convert::{from_f64, to_f64};
use crate::op::Binary;
use crate::types::Type;

/// The NaN that PTX operations give.
pub(crate) fn nan(ty: Type) -> u64 {
    match ty.bits {
        16 => 0x7fff,
        32 => 0x7fff_ffff,
        _ => 0x7fff_ffff_ffff_ffff,
    }
}

/// A function of an `f32`, computed in `f64`. Subnormal operands and results count as 0 (PTX ISA, `.ftz`).
pub(crate) fn flushed(a: u64, of: impl Fn(f64) -> f64) -> u64 {
    let r = without_subnormals(of(without_subnormals(f32::from_bits(a as u32)).into()) as f32);
    if r.is_nan() { 0x7fff_ffff } else { r.to_bits().into() }
}

/// The approximate quotient of two `f32`s: by more than 2^126 it is 0 (PTX ISA §9.7.3, `div.approx.ftz`).
fn quotient(x: f32, y: f32) -> f32 {
    const MOST: f32 = (1u128 << 126) as f32;
    let (x, y) = (without_subnormals(x), without_subnormals(y));
    // The reciprocal of such a number is taken for 0.
    let by = if y.is_finite() && y.abs() > MOST { f32::INFINITY.copysign(y) } else { y };
    without_subnormals(x / by)
}

fn without_subnormals(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// A function of one `f32`, rounded once.
pub(crate) fn single(a: u64, of: impl Fn(f64) -> f64) -> u64 {
    let r = of(f32::from_bits(a as u32).into()) as f32;
    if r.is_nan() { 0x7fff_ffff } else { r.to_bits().into() }
}

/// A binary operation. `None` where the type has none.
pub(crate) fn binary(op: Binary, ty: Type, a: u64, b: u64) -> Option<u64> {
    if op == Binary::CopySign {
        // The sign of the first operand on the second (PTX ISA §9.7.3, copysign).
        let sign = 1u64 << (ty.bits - 1);
        return Some((a & sign) | (b & ty.mask() & !sign));
    }
    match ty.bits {
        32 => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let r = match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x / y,
                Binary::Quotient => quotient(x, y),
                Binary::Min | Binary::Max => return Some(least_or_greatest(op, ty, a, b)),
                _ => return None,
            };
            Some(if r.is_nan() { nan(ty) } else { r.to_bits().into() })
        }
        64 => {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let r = match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x / y,
                Binary::Min | Binary::Max => return Some(least_or_greatest(op, ty, a, b)),
                _ => return None,
            };
            Some(if r.is_nan() { nan(ty) } else { r.to_bits() })
        }
        _ => None,
    }
}

/// `min` and `max`: of a number and a NaN the number; -0 is below +0 (PTX ISA §9.7.3, min).
fn least_or_greatest(op: Binary, ty: Type, a: u64, b: u64) -> u64 {
    let (x, y) = (to_f64(ty, a), to_f64(ty, b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => nan(ty),
        (true, false) => b & ty.mask(),
        (false, true) => a & ty.mask(),
        _ => {
            let a_first = x.total_cmp(&y) != Ordering::Greater;
            if a_first == (op == Binary::Min) { a & ty.mask() } else { b & ty.mask() }
        }
    }
}

/// `a * b + c`, rounded once.
pub(crate) fn fused(ty: Type, a: u64, b: u64, c: u64) -> Option<u64> {
    let bits = match ty.bits {
        32 => {
            let r = f32::from_bits(a as u32).mul_add(f32::from_bits(b as u32), f32::from_bits(c as u32));
            if r.is_nan() { nan(ty) } else { r.to_bits().into() }
        }
        64 => {
            let r = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
            if r.is_nan() { nan(ty) } else { r.to_bits() }
        }
        _ => return None,
    };
    Some(bits)
}

/// The square root, correctly rounded.
pub(crate) fn sqrt(ty: Type, a: u64) -> u64 {
    let r = if ty.bits == 32 { f64::from(f32::from_bits(a as u32).sqrt()) } else { f64::from_bits(a).sqrt() };
    if r.is_nan() { nan(ty) } else { from_f64(ty, r) }
}
