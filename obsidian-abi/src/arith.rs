//! The meaning of scalar operations, in one place: constant folding, the interpreter and what the host computes for a launch
//! all call it. Total: nothing here panics.

use crate::{BinOp, Const, ScalarType, UnOp, bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, max_f64, min_f64};

/// The value of a constant of `f16`, `bf16` or `f32`.
pub fn f32_of(c: Const) -> f32 {
    match c.ty {
        ScalarType::F16 => f16_to_f32(c.bits as u16),
        ScalarType::BF16 => bf16_to_f32(c.bits as u16),
        _ => f32::from_bits(c.bits as u32),
    }
}

/// The nearest `f16`, `bf16` or `f32`, ties to even.
fn round_to(x: f32, ty: ScalarType) -> u64 {
    match ty {
        ScalarType::F16 => f32_to_f16(x).into(),
        ScalarType::BF16 => f32_to_bf16(x).into(),
        _ => x.to_bits().into(),
    }
}

/// The bits of `a` as a type of the same width.
#[inline]
pub fn bits(a: Const, to: ScalarType) -> Const {
    let bits = if to.is_float() { a.bits & (u64::MAX >> (64 - to.bits())) } else { wrap(to, a.bits.into()) };
    Const { ty: to, bits }
}

/// `a * b + c`, rounded once.
#[inline]
pub fn mul_add(a: Const, b: Const, c: Const) -> Const {
    let bits = match a.ty {
        ScalarType::F64 => f64::from_bits(a.bits).mul_add(f64::from_bits(b.bits), f64::from_bits(c.bits)).to_bits(),
        ty if ty.is_float() => round_to(f32_of(a).mul_add(f32_of(b), f32_of(c)), ty),
        _ => return bin(BinOp::Add, bin(BinOp::Mul, a, b), c),
    };
    Const { ty: a.ty, bits }
}

/// Sign- or zero-extends the low bits of `v` to the canonical form of `ty`.
#[inline]
pub fn wrap(ty: ScalarType, v: i128) -> u64 {
    wrap_bits(ty, v as u64)
}

/// [`wrap`] of the low 64 bits.
#[inline]
fn wrap_bits(ty: ScalarType, v: u64) -> u64 {
    match ty {
        ScalarType::Bool => v & 1,
        ScalarType::I8 => v as i8 as i64 as u64,
        ScalarType::I16 => v as i16 as i64 as u64,
        ScalarType::I32 => v as i32 as i64 as u64,
        ScalarType::U8 => v as u8 as u64,
        ScalarType::U16 => v as u16 as u64,
        ScalarType::U32 => v as u32 as u64,
        _ => v,
    }
}

/// A unary operation on a constant.
#[inline]
pub fn un(op: UnOp, a: Const) -> Const {
    let bits = match a.ty {
        ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 => {
            let x = f32_of(a);
            let r = match op {
                UnOp::Neg => -x,
                UnOp::Abs => x.abs(),
                UnOp::Sqrt => x.sqrt(),
                UnOp::Floor => x.floor(),
                UnOp::Ceil => x.ceil(),
                UnOp::Trunc => x.trunc(),
                UnOp::Exp2 => x.exp2(),
                UnOp::Log2 => x.log2(),
                UnOp::Sin => x.sin(),
                UnOp::Cos => x.cos(),
                UnOp::Tanh => x.tanh(),
                _ => x,
            };
            round_to(r, a.ty)
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
                _ => x,
            };
            r.to_bits()
        }
        ty => match op {
            UnOp::Neg => wrap(ty, -a.int()),
            UnOp::Not => wrap(ty, !a.int()),
            UnOp::Abs => wrap(ty, a.int().abs()),
            _ if ty == ScalarType::Bool => a.bits,
            UnOp::CountOnes => low(a).count_ones().into(),
            UnOp::LeadingZeros => (low(a).leading_zeros() - (64 - ty.bits())).into(),
            UnOp::TrailingZeros => low(a).trailing_zeros().min(ty.bits()).into(),
            UnOp::ReverseBits => wrap(ty, (low(a).reverse_bits() >> (64 - ty.bits())).into()),
            _ => a.bits,
        },
    };
    Const { ty: a.ty, bits }
}

/// The bits of an integer, zeros above its width.
fn low(a: Const) -> u64 {
    a.bits & (u64::MAX >> (64 - a.ty.bits()))
}

/// A binary operation on constants of one type.
#[inline]
pub fn bin(op: BinOp, a: Const, b: Const) -> Const {
    if op.is_comparison() {
        return Const::bool(compare(op, a, b));
    }
    let bits = match a.ty {
        ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 => {
            float_bin(op, f32_of(a).into(), f32_of(b).into(), |x| f64::from(x as f32)).map(|x| round_to(x as f32, a.ty))
        }
        ScalarType::F64 => float_bin(op, f64::from_bits(a.bits), f64::from_bits(b.bits), |x| x).map(f64::to_bits),
        ty => Some(int_bin(op, ty, a.bits, b.bits)),
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
        // -0 is less than 0 (PTX ISA, min and max), which Rust leaves open.
        BinOp::Min => min_f64(x, y),
        BinOp::Max => max_f64(x, y),
        _ => return None,
    })
}

/// Operands in canonical form, of which 64 bits are enough for everything but the upper half of a product.
fn int_bin(op: BinOp, ty: ScalarType, x: u64, y: u64) -> u64 {
    let count = (y & u64::from(ty.bits().max(8) - 1)) as u32;
    let (signed_x, signed_y) = (x as i64, y as i64);
    let r = match op {
        BinOp::Add => x.wrapping_add(y),
        BinOp::Sub => x.wrapping_sub(y),
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div | BinOp::Rem if y == 0 => 0,
        BinOp::Div if ty.is_signed() => signed_x.wrapping_div(signed_y) as u64,
        BinOp::Div => x / y,
        BinOp::Rem if ty.is_signed() => signed_x.wrapping_rem(signed_y) as u64,
        BinOp::Rem => x % y,
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        BinOp::Shl => x << count,
        BinOp::Shr if ty.is_signed() => (signed_x >> count) as u64,
        BinOp::Shr => x >> count,
        BinOp::Min if ty.is_signed() => signed_x.min(signed_y) as u64,
        BinOp::Min => x.min(y),
        BinOp::Max if ty.is_signed() => signed_x.max(signed_y) as u64,
        BinOp::Max => x.max(y),
        BinOp::MulHigh => mul_high(ty, x, y),
        _ => x,
    };
    wrap_bits(ty, r)
}

/// The upper half of a product.
fn mul_high(ty: ScalarType, x: u64, y: u64) -> u64 {
    if ty.is_signed() {
        ((i128::from(x as i64) * i128::from(y as i64)) >> ty.bits()) as u64
    } else {
        ((u128::from(x) * u128::from(y)) >> ty.bits()) as u64
    }
}

fn compare(op: BinOp, a: Const, b: Const) -> bool {
    let ord = match a.ty {
        ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 => f32_of(a).partial_cmp(&f32_of(b)),
        ScalarType::F64 => f64::from_bits(a.bits).partial_cmp(&f64::from_bits(b.bits)),
        ty if ty.is_signed() => Some((a.bits as i64).cmp(&(b.bits as i64))),
        _ => Some(a.bits.cmp(&b.bits)),
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

/// Rust's `as` from `a` to `to`; `f16` and `bf16` convert by way of `f32`.
#[inline]
pub fn cast(a: Const, to: ScalarType) -> Const {
    let bits = match (a.ty, to) {
        (from, to) if from == to => a.bits,
        (ScalarType::F16 | ScalarType::BF16 | ScalarType::F32, _) => cast_float(f32_of(a).into(), to),
        (ScalarType::F64, _) => cast_float(f64::from_bits(a.bits), to),
        (from, ScalarType::F16 | ScalarType::BF16 | ScalarType::F32) => {
            let x = if from.is_signed() { a.bits as i64 as f32 } else { a.bits as f32 };
            round_to(x, to)
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
        ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 => round_to(x as f32, to),
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
    let (least_int, greatest_int) = ty.int_range();
    let float = |double: f64| {
        let double = Const { ty: ScalarType::F64, bits: double.to_bits() };
        ty.is_float().then(|| cast(double, ty).bits)
    };
    // Greatest value, distance from 1 to the next, least normal value.
    let (max, eps, least) = match ty {
        ScalarType::F16 => (65504.0, 2f64.powi(-10), 2f64.powi(-14)),
        ScalarType::BF16 => (f32::from_bits(0x7f7f_0000).into(), 2f64.powi(-7), f32::MIN_POSITIVE.into()),
        ScalarType::F32 => (f32::MAX.into(), f32::EPSILON.into(), f32::MIN_POSITIVE.into()),
        _ => (f64::MAX, f64::EPSILON, f64::MIN_POSITIVE),
    };
    match name {
        "MAX" if ty.is_int() => Some(wrap(ty, greatest_int)),
        "MIN" if ty.is_int() => Some(wrap(ty, least_int)),
        "BITS" if ty.is_int() => Some(ty.bits().into()),
        "MAX" => float(max),
        "MIN" => float(-max),
        "MIN_POSITIVE" => float(least),
        "EPSILON" => float(eps),
        "INFINITY" => float(f64::INFINITY),
        "NEG_INFINITY" => float(f64::NEG_INFINITY),
        "NAN" => float(f64::NAN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an operation gives of numbers that are exact, before they are cut to a type; `None` where there is no such number.
    fn exactly(op: BinOp, bits: u32, x: i128, y: i128) -> Option<i128> {
        let count = y as u32 & (bits - 1);
        Some(match op {
            BinOp::Add => x + y,
            BinOp::Sub => x - y,
            // That of two `u64`s leaves an `i128`, but not its low bits.
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
            BinOp::MulHigh if x < 0 || y < 0 => (x * y) >> bits,
            BinOp::MulHigh => ((x as u128 * y as u128) >> bits) as i128,
            _ => return None,
        })
    }

    #[test]
    fn integers_are_exact_numbers_that_are_cut_to_their_type() {
        for ty in ScalarType::ALL.into_iter().filter(|ty| ty.is_int()) {
            let (least, greatest) = ty.int_range();
            let near = |n: i128| [n - 2, n - 1, n, n + 1, n + 2];
            let values = [least, least / 3, 0, 7, i128::from(ty.bits()), greatest / 2, greatest / 3, greatest];
            let values: Vec<i128> =
                values.into_iter().flat_map(near).filter(|n| (least..=greatest).contains(n)).collect();
            for (&x, &y) in values.iter().flat_map(|x| values.iter().map(move |y| (x, y))) {
                let [a, b] = [x, y].map(|n| Const { ty, bits: wrap(ty, n) });
                assert_eq!((a.int(), b.int()), (x, y));
                for &op in BinOp::ALL {
                    if let Some(exact) = exactly(op, ty.bits(), x, y) {
                        assert_eq!(bin(op, a, b), Const { ty, bits: wrap(ty, exact) }, "{op:?} {ty:?} {x} {y}");
                    }
                }
                assert_eq!(bin(BinOp::Lt, a, b).bits != 0, x < y, "{ty:?} {x} {y}");
                assert_eq!(bin(BinOp::Ge, a, b).bits != 0, x >= y, "{ty:?} {x} {y}");
            }
        }
    }
}
