//! Expressions over lengths and scalars as trees of JSON, for programs that launch a kernel and have no parser of the printed ones.

use obsidian_ir::program::{Const, Expr, ExprId, Program, ScalarType};
use serde_json::{Value, json};

/// `{ "op", "type", .. }`: `type` is that of the result, `args` are the operands. A `length` or a `scalar` names its `parameter`; a `const` has its
/// `value`, or its `bits` where it is a float.
pub fn tree(p: &Program, id: ExprId) -> Value {
    let ty = p.exprs.ty(id).name();
    let node = |op: &str, args: &[ExprId]| {
        let args = args.iter().map(|&arg| tree(p, arg)).collect::<Vec<_>>();
        json!({ "op": op, "type": ty, "args": args })
    };
    match p.exprs.expr(id) {
        Expr::Const(c) => constant(c),
        Expr::Len(param) => json!({ "op": "length", "type": ty, "parameter": p.param(param).name }),
        Expr::Scalar(param) => json!({ "op": "scalar", "type": ty, "parameter": p.param(param).name }),
        Expr::Un(op, a) => node(op.name(), &[a]),
        Expr::Bin(op, a, b) => node(op.symbol(), &[a, b]),
        Expr::Select(c, a, b) => node("select", &[c, a, b]),
        Expr::Cast(a) => node("as", &[a]),
        Expr::Bits(a) => node("bits", &[a]),
        Expr::MulAdd(a, b, c) => node("mul_add", &[a, b, c]),
        // The host has none of these.
        Expr::Var(_) | Expr::Special(_) | Expr::OnGpu | Expr::Load(..) => node("device", &[]),
    }
}

fn constant(c: Const) -> Value {
    let ty = c.ty.name();
    match c.ty {
        ScalarType::Bool => json!({ "op": "const", "type": ty, "value": c.bits != 0 }),
        t if t.is_float() => json!({ "op": "const", "type": ty, "bits": c.bits }),
        t if t.is_signed() => json!({ "op": "const", "type": ty, "value": c.bits as i64 }),
        _ => json!({ "op": "const", "type": ty, "value": c.bits }),
    }
}
