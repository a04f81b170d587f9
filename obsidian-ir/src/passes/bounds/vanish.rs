//! Numbers that the launch knows and with which a number made of them is zero: of `(rows / 32 + min(rows % 32, 1)) * cols` both.

use crate::passes::walk::reachable;
use crate::program::{BinOp, Expr, ExprId, Exprs};

/// The most parts of a number that is looked at.
const MAX_PARTS: usize = 64;

/// Lengths and scalars without a sign with each of which `n` is zero, whatever the others are.
pub(super) fn with(exprs: &Exprs, n: ExprId) -> Vec<ExprId> {
    if !is_unsigned(exprs, n) {
        return Vec::new();
    }
    let parts = reachable(exprs, [n], |_| false);
    if parts.len() > MAX_PARTS {
        return Vec::new();
    }
    let is_number = |e: ExprId| matches!(exprs.expr(e), Expr::Len(_) | Expr::Scalar(_)) && is_unsigned(exprs, e);
    let numbers = parts.iter().copied().filter(|&part| is_number(part));
    numbers.filter(|&number| is_zero(exprs, n, number)).collect()
}

fn is_unsigned(exprs: &Exprs, e: ExprId) -> bool {
    exprs.ty(e).is_unsigned()
}

/// Whether `e` is zero where `x` is. An integer divided by 0 is 0, and so is what is left.
fn is_zero(exprs: &Exprs, e: ExprId, x: ExprId) -> bool {
    if e == x {
        return true;
    }
    if !exprs.ty(e).is_int() {
        return false;
    }
    let zero = |part| is_zero(exprs, part, x);
    match exprs.expr(e) {
        Expr::Const(c) => c.bits == 0,
        Expr::Bin(op, a, b) => match op {
            BinOp::Mul | BinOp::And => zero(a) || zero(b),
            BinOp::Min if is_unsigned(exprs, e) => zero(a) || zero(b),
            BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr => zero(a),
            BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max => zero(a) && zero(b),
            _ => false,
        },
        Expr::Cast(a) => zero(a),
        Expr::Select(_, a, b) => zero(a) && zero(b),
        _ => false,
    }
}
