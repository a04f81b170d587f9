//! The meaning of operations on scalars.

use obsidian_ir::program::{BinOp, Const, ScalarType, UnOp, arith};

use super::{Result, Value, malformed};
use crate::ast::{EXCHANGED, Op};

/// An operator.
pub fn operation<'k>(op: &Op, args: &[Value<'k>], operator: fn(BinOp) -> BinOp) -> Result<Value<'k>> {
    let a = args[0].constant()?;
    Ok(Value::Scalar(match op {
        Op::Un(op @ (UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros)) => {
            Const::u32(arith::un(*op, a).bits as u32)
        }
        Op::Un(op) => arith::un(*op, a),
        Op::Bin(BinOp::MulHigh) => upper_half(a, args[1].constant()?),
        Op::Bin(op) => arith::bin(operator(*op), a, args[1].constant()?),
        Op::Cast(to) => arith::cast(a, *to),
        Op::ToBits => arith::bits(a, a.ty.unsigned()),
        Op::FromBits(to) => arith::bits(a, *to),
        other => return malformed(format!("{other:?}")),
    }))
}

/// What `atomic_exchange` stores at a place where `old` stands.
pub fn exchanged<'k>(place: usize, old: &Value<'k>) -> Result<Value<'k>> {
    let ty = old.constant()?.ty;
    Ok(Value::Scalar(arith::cast(Const::u32(place as u32 ^ EXCHANGED), ty)))
}

/// The upper half of a product: half by half, with what is carried.
fn upper_half(a: Const, b: Const) -> Const {
    let half = a.ty.bits() / 2;
    let split = |c: Const| (c.int() >> half, c.int() & ((1 << half) - 1));
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    let middle = ah * bl + ((al * bl) >> half);
    let carried = al * bh + (middle & ((1 << half) - 1));
    Const { ty: a.ty, bits: arith::wrap(a.ty, ah * bh + (middle >> half) + (carried >> half)) }
}

/// Rust's, where the bounds are in their order. Of floats, NaN is itself, and a zero keeps its sign.
fn clamp(a: Const, low: Const, high: Const) -> Const {
    let is_less = |a, b| arith::bin(BinOp::Lt, a, b).bits == 1;
    if !a.ty.is_float() {
        return arith::bin(BinOp::Min, arith::bin(BinOp::Max, a, low), high);
    }
    if is_less(a, low) {
        low
    } else if is_less(high, a) {
        high
    } else {
        a
    }
}

/// A function of the library.
pub fn call<'k>(name: &str, args: &[Value<'k>]) -> Result<Value<'k>> {
    let a = args[0].constant()?;
    let b = || args[1].constant();
    let bits = a.ty.bits();
    let low = a.bits & (u64::MAX >> (64 - bits.max(1)));
    let integer = |bits: u64| Const { ty: a.ty, bits: arith::wrap(a.ty, bits.into()) };
    // Rotations by a count that is taken modulo the width.
    let rotated = |left: u32| {
        let left = left % bits;
        integer(if left == 0 { low } else { low << left | low >> (bits - left) })
    };
    Ok(Value::Scalar(match name {
        "mul_add" => arith::mul_add(a, b()?, args[2].constant()?),
        "clamp" => clamp(a, b()?, args[2].constant()?),
        "rotate_left" => rotated(b()?.bits as u32 % bits),
        "rotate_right" => rotated(bits - b()?.bits as u32 % bits),
        "wrapping_shl" => integer(low << (b()?.bits as u32 % bits)),
        "wrapping_shr" => Const { ty: a.ty, bits: arith::wrap(a.ty, a.int() >> (b()?.bits as u32 % bits)) },
        "swap_bytes" => integer(low.swap_bytes() >> (64 - bits)),
        "saturating_add" => nearest(a.ty, a.int() + b()?.int()),
        "saturating_sub" => nearest(a.ty, a.int() - b()?.int()),
        "abs_diff" => nearest(a.ty, (a.int() - b()?.int()).abs()),
        "isqrt" => nearest(a.ty, a.int().max(0).isqrt()),
        "next_power_of_two" => {
            let power = low.checked_next_power_of_two().unwrap_or(0);
            integer(power & (u64::MAX >> (64 - bits)))
        }
        "pow" => integer((0..b()?.bits as u32).fold(1, |power: u64, _| power.wrapping_mul(a.bits))),
        "signum" => signum(a),
        "is_nan" => Const::bool(!arith::bin(BinOp::Eq, a, a).bits.eq(&1)),
        "recip" => arith::bin(BinOp::Div, arith::cast(Const { ty: ScalarType::I32, bits: 1 }, a.ty), a),
        _ => return malformed(name),
    }))
}

/// The number of a type that is nearest to that.
fn nearest(ty: ScalarType, wanted: i128) -> Const {
    let top = 1i128 << (ty.bits() - u32::from(ty.is_signed()));
    let bottom = if ty.is_signed() { -top } else { 0 };
    Const { ty, bits: arith::wrap(ty, wanted.clamp(bottom, top - 1)) }
}

/// Of floats 1 with the sign, or NaN; of integers 1, 0 or -1.
fn signum(a: Const) -> Const {
    let whole = |v: i32| arith::cast(Const { ty: ScalarType::I32, bits: v as i64 as u64 }, a.ty);
    if a.ty.is_int() {
        return whole(a.int().signum() as i32);
    }
    if arith::bin(BinOp::Eq, a, a).bits == 0 {
        return a;
    }
    whole(if a.bits >> (a.ty.bits() - 1) & 1 == 1 { -1 } else { 1 })
}
