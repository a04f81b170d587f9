//! Types of operations on scalars.

use obsidian_ir::program::{BinOp, ScalarType, UnOp};

use super::{BOOL, Ty, U32};
use crate::ast::Op;

/// An operator.
pub fn operation(op: &Op, args: &[Ty]) -> Option<Ty> {
    let a = args.first()?.scalar()?;
    let ok = |holds: bool, ty| holds.then_some(Ty::Scalar(ty));
    match op {
        Op::Un(op) => match op {
            UnOp::Neg => ok(a.is_signed() || a.is_float(), a),
            UnOp::Not => ok(!a.is_float(), a),
            UnOp::Abs => ok(a.is_signed() || a.is_float(), a),
            UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc => ok(a.is_float(), a),
            UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros => ok(a.is_int(), ScalarType::U32),
            UnOp::ReverseBits => ok(a.is_int(), a),
            // No operator of the language.
            UnOp::Exp2 | UnOp::Log2 | UnOp::Sin | UnOp::Cos | UnOp::Tanh => None,
        },
        Op::Bin(op) => {
            if args.get(1)?.scalar()? != a {
                return None;
            }
            match op {
                BinOp::Eq | BinOp::Ne => Some(BOOL),
                BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => ok(a != ScalarType::Bool, ScalarType::Bool),
                BinOp::And | BinOp::Or | BinOp::Xor => ok(!a.is_float(), a),
                BinOp::Shl | BinOp::Shr | BinOp::MulHigh => ok(a.is_int(), a),
                _ => ok(a != ScalarType::Bool, a),
            }
        }
        Op::Cast(to) => {
            let numbers = *to != ScalarType::Bool && a != ScalarType::Bool;
            ok(numbers || (a == ScalarType::Bool && to.is_int()), *to)
        }
        Op::ToBits => ok(a.is_float(), a.unsigned()),
        Op::FromBits(to) => ok(to.is_float() && to.unsigned() == a, *to),
        _ => None,
    }
}

/// A function of the library.
pub fn call(name: &str, args: &[Ty]) -> Option<Ty> {
    let a = args.first()?.scalar()?;
    let same = args.iter().all(|b| *b == args[0]);
    let result = match (name, args.len()) {
        ("mul_add" | "clamp", 3) => (same && a != ScalarType::Bool).then_some(a),
        ("rotate_left" | "rotate_right" | "wrapping_shl" | "wrapping_shr", 2) => {
            (args[1] == U32 && a.is_int()).then_some(a)
        }
        ("swap_bytes" | "isqrt", 1) => a.is_int().then_some(a),
        ("saturating_add" | "saturating_sub", 2) => (same && a.is_int()).then_some(a),
        ("abs_diff", 2) => (same && a.is_int() && !a.is_signed()).then_some(a),
        ("next_power_of_two", 1) => (a.is_int() && !a.is_signed()).then_some(a),
        ("pow", 2) => (args[1] == U32 && a.is_int()).then_some(a),
        ("signum", 1) => (a.is_signed() || a.is_float()).then_some(a),
        ("is_nan", 1) => a.is_float().then_some(ScalarType::Bool),
        ("recip", 1) => a.is_float().then_some(a),
        _ => None,
    };
    result.map(Ty::Scalar)
}
