//! Numbers that the launch knows and with which a number made of them is zero: of `(rows / 32 + min(rows % 32, 1)) * cols` both.

use crate::passes::walk::reachable;
use crate::program::{BinOp, Expr, ExprId, Exprs, Program};

/// The most parts of a number that is looked at.
const MAX_PARTS: usize = 64;

/// Lengths and scalars without a sign with each of which `n` is zero, whatever the others are.
pub(super) fn with(p: &Program, n: ExprId) -> Vec<ExprId> {
    let exprs = &p.exprs;
    if !is_unsigned(exprs, n) {
        return Vec::new();
    }
    let parts = reachable(exprs, [n], |_| false);
    if parts.len() > MAX_PARTS {
        return Vec::new();
    }
    let is_number = |e: ExprId| matches!(exprs.expr(e), Expr::Len(_) | Expr::Scalar(_)) && is_unsigned(exprs, e);
    let numbers = parts.iter().copied().filter(|&part| is_number(part));
    numbers.filter(|&number| is_zero(p, n, number)).collect()
}

fn is_unsigned(exprs: &Exprs, e: ExprId) -> bool {
    exprs.ty(e).is_unsigned()
}

/// Whether a launch in which `e` is zero is refused.
fn is_asked_for(p: &Program, e: ExprId) -> bool {
    let is_some = |cond: ExprId| match p.exprs.expr(cond) {
        Expr::Bin(BinOp::Ne, n, zero) => n == e && p.exprs.as_u32(zero) == Some(0),
        _ => false,
    };
    p.exprs.range(e).lo > 0 || p.checks.iter().any(|check| is_some(check.cond))
}

/// Whether `e` is zero where `x` is. Devices do not say what a division by zero gives.
fn is_zero(p: &Program, e: ExprId, x: ExprId) -> bool {
    let exprs = &p.exprs;
    if e == x {
        return true;
    }
    if !exprs.ty(e).is_int() {
        return false;
    }
    let zero = |part| is_zero(p, part, x);
    match exprs.expr(e) {
        Expr::Const(c) => c.bits == 0,
        Expr::Bin(op, a, b) => match op {
            BinOp::Mul | BinOp::And => zero(a) || zero(b),
            BinOp::Min if is_unsigned(exprs, e) => zero(a) || zero(b),
            BinOp::Div | BinOp::Rem => zero(a) && is_asked_for(p, b),
            BinOp::Shl | BinOp::Shr => zero(a),
            BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max => zero(a) && zero(b),
            _ => false,
        },
        Expr::Cast(a) => zero(a),
        Expr::Select(_, a, b) => zero(a) && zero(b),
        _ => false,
    }
}
