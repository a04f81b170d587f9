//! The meaning of scalar operations, in one place: constant folding and the interpreter both call it.

use super::{BinOp, Const, ScalarType, UnOp};

/// Sign- or zero-extends the low bits of `v` to the canonical form of `ty`.
pub fn wrap(ty: ScalarType, v: i128) -> u64 {
    match ty {
        ScalarType::Bool => (v & 1) as u64,
        ScalarType::I8 => v as i8 as i64 as u64,
        ScalarType::I16 => v as i16 as i64 as u64,
        ScalarType::I32 => v as i32 as i64 as u64,
        ScalarType::U8 => v as u8 as u64,
        ScalarType::U16 => v as u16 as u64,
        ScalarType::U32 => v as u32 as u64,
        _ => v as u64,
    }
}

/// A unary operation on a constant.
pub fn un(op: UnOp, a: Const) -> Const {
    let bits = match a.ty {
        ScalarType::F32 => {
            let x = f32::from_bits(a.bits as u32);
            let r = match op {
                UnOp::Neg => -x,
                UnOp::Abs => x.abs(),
                UnOp::Sqrt => x.sqrt(),
                UnOp::Floor => x.floor(),
                UnOp::Ceil => x.ceil(),
                UnOp::Trunc => x.trunc(),
                UnOp::Not => x,
            };
            r.to_bits().into()
        }
        ScalarType::F64 => {
            let x = f64::from_bits(a.bits);
            let r = match op {
                UnOp::Neg => -x,
                UnOp::Abs => x.abs(),
                UnOp::Sqrt => x.sqrt(),
                UnOp::Floor => x.floor(),
                UnOp::Ceil => x.ceil(),
                UnOp::Trunc => x.trunc(),
                UnOp::Not => x,
            };
            r.to_bits()
        }
        ty => match op {
            UnOp::Neg => wrap(ty, -a.int()),
            UnOp::Not => wrap(ty, !a.int()),
            UnOp::Abs => wrap(ty, a.int().abs()),
            _ => a.bits,
        },
    };
    Const { ty: a.ty, bits }
}

/// A binary operation on constants of one type.
pub fn bin(op: BinOp, a: Const, b: Const) -> Const {
    if op.is_comparison() {
        return Const::bool(compare(op, a, b));
    }
    let bits = match a.ty {
        ScalarType::F32 => {
            float_bin(op, f32::from_bits(a.bits as u32).into(), f32::from_bits(b.bits as u32).into(), |x| {
                f64::from(x as f32)
            })
            .map(|x| u64::from((x as f32).to_bits()))
        }
        ScalarType::F64 => float_bin(op, f64::from_bits(a.bits), f64::from_bits(b.bits), |x| x).map(f64::to_bits),
        ty => Some(int_bin(op, ty, a.int(), b.int())),
    };
    Const { ty: a.ty, bits: bits.unwrap_or(a.bits) }
}

/// `f32` operations are done in `f64` and rounded once more: for `+ - * /` of `f32` operands that is exact.
fn float_bin(op: BinOp, x: f64, y: f64, round: impl Fn(f64) -> f64) -> Option<f64> {
    Some(match op {
        BinOp::Add => round(x + y),
        BinOp::Sub => round(x - y),
        BinOp::Mul => round(x * y),
        BinOp::Div => round(x / y),
        BinOp::Rem => round(x % y),
        BinOp::Min => x.min(y),
        BinOp::Max => x.max(y),
        _ => return None,
    })
}

fn int_bin(op: BinOp, ty: ScalarType, x: i128, y: i128) -> u64 {
    let count = (y as u64 & u64::from(ty.bits().max(8) - 1)) as u32;
    let r = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div => x.checked_div(y).unwrap_or(0),
        BinOp::Rem => x.checked_rem(y).unwrap_or(0),
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        BinOp::Shl => x << count,
        BinOp::Shr => x >> count,
        BinOp::Min => x.min(y),
        BinOp::Max => x.max(y),
        _ => x,
    };
    wrap(ty, r)
}

fn compare(op: BinOp, a: Const, b: Const) -> bool {
    let ord = match a.ty {
        ScalarType::F32 => f32::from_bits(a.bits as u32).partial_cmp(&f32::from_bits(b.bits as u32)),
        ScalarType::F64 => f64::from_bits(a.bits).partial_cmp(&f64::from_bits(b.bits)),
        _ => Some(a.int().cmp(&b.int())),
    };
    match op {
        BinOp::Eq => ord.is_some_and(|o| o.is_eq()),
        BinOp::Ne => !ord.is_some_and(|o| o.is_eq()),
        BinOp::Lt => ord.is_some_and(|o| o.is_lt()),
        BinOp::Le => ord.is_some_and(|o| o.is_le()),
        BinOp::Gt => ord.is_some_and(|o| o.is_gt()),
        _ => ord.is_some_and(|o| o.is_ge()),
    }
}

/// Rust's `as` from `a` to `to`.
pub fn cast(a: Const, to: ScalarType) -> Const {
    let bits = match (a.ty, to) {
        (from, to) if from == to => a.bits,
        (ScalarType::F32, _) => cast_float(f32::from_bits(a.bits as u32).into(), to),
        (ScalarType::F64, _) => cast_float(f64::from_bits(a.bits), to),
        (from, ScalarType::F32) => {
            let x = if from.is_signed() { a.bits as i64 as f32 } else { a.bits as f32 };
            x.to_bits().into()
        }
        (from, ScalarType::F64) => {
            let x = if from.is_signed() { a.bits as i64 as f64 } else { a.bits as f64 };
            x.to_bits()
        }
        (_, ScalarType::Bool) => u64::from(a.bits != 0),
        _ => wrap(to, a.int()),
    };
    Const { ty: to, bits }
}

fn cast_float(x: f64, to: ScalarType) -> u64 {
    match to {
        ScalarType::F32 => (x as f32).to_bits().into(),
        ScalarType::F64 => x.to_bits(),
        ScalarType::Bool => u64::from(x != 0.0),
        ScalarType::I8 => x as i8 as i64 as u64,
        ScalarType::I16 => x as i16 as i64 as u64,
        ScalarType::I32 => x as i32 as i64 as u64,
        ScalarType::I64 => x as i64 as u64,
        ScalarType::U8 => x as u8 as u64,
        ScalarType::U16 => x as u16 as u64,
        ScalarType::U32 => x as u32 as u64,
        ScalarType::U64 => x as u64,
    }
}
/// The bits of an associated constant of a type, by Rust's name of it.
pub fn named(ty: ScalarType, name: &str) -> Option<u64> {
    let range = super::Range::full(ty);
    let float = |single: f32, double: f64| match ty {
        ScalarType::F32 => Some(single.to_bits().into()),
        ScalarType::F64 => Some(double.to_bits()),
        _ => None,
    };
    match name {
        "MAX" if ty.is_int() => Some(wrap(ty, range.hi)),
        "MIN" if ty.is_int() => Some(wrap(ty, range.lo)),
        "BITS" if ty.is_int() => Some(ty.bits().into()),
        "MAX" => float(f32::MAX, f64::MAX),
        "MIN" => float(f32::MIN, f64::MIN),
        "MIN_POSITIVE" => float(f32::MIN_POSITIVE, f64::MIN_POSITIVE),
        "EPSILON" => float(f32::EPSILON, f64::EPSILON),
        "INFINITY" => float(f32::INFINITY, f64::INFINITY),
        "NEG_INFINITY" => float(f32::NEG_INFINITY, f64::NEG_INFINITY),
        "NAN" => float(f32::NAN, f64::NAN),
        _ => None,
    }
}
