//! Builtins on scalars.

use super::Builtin;
use crate::diag::Result;
use crate::program::{BinOp, UnOp};
use crate::stage::Stage;
use crate::stage::value::Value;

const RUST: &str = "Rust's method of that name";

pub(super) const ROWS: &[Builtin] = &[
    Builtin {
        signature: "fn min<T: Num>(a: T, b: T) -> T",
        doc: "The lesser; of a number and a NaN, the number.",
        source: RUST,
        eval: |s, args, _| binary(s, BinOp::Min, args),
    },
    Builtin {
        signature: "fn max<T: Num>(a: T, b: T) -> T",
        doc: "The greater; of a number and a NaN, the number.",
        source: RUST,
        eval: |s, args, _| binary(s, BinOp::Max, args),
    },
    Builtin {
        signature: "fn abs<T: Num>(a: T) -> T",
        doc: "The absolute value, wrapping.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Abs, args),
    },
    Builtin {
        signature: "fn sqrt<T: Float>(a: T) -> T",
        doc: "The square root, correctly rounded.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Sqrt, args),
    },
    Builtin {
        signature: "fn floor<T: Float>(a: T) -> T",
        doc: "The greatest whole number that is not above `a`.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Floor, args),
    },
    Builtin {
        signature: "fn ceil<T: Float>(a: T) -> T",
        doc: "The least whole number that is not below `a`.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Ceil, args),
    },
    Builtin {
        signature: "fn trunc<T: Float>(a: T) -> T",
        doc: "The whole part, towards zero.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Trunc, args),
    },
];

fn unary(s: &mut Stage, op: UnOp, args: &[Value]) -> Result<Value> {
    let a = args[0].scalar(s)?;
    Ok(Value::Scalar(s.p.exprs.un(op, a)))
}

fn binary(s: &mut Stage, op: BinOp, args: &[Value]) -> Result<Value> {
    let (a, b) = (args[0].scalar(s)?, args[1].scalar(s)?);
    Ok(Value::Scalar(s.bin(op, a, b)))
}
