//! Reciprocals, which hardware computes in one step: what the printers take them for under `fast_math`, and what the report says.

use super::{BinOp, Expr, ExprId, Exprs, UnOp};

/// A division of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reciprocal {
    /// `1 / x`.
    Of(ExprId),
    /// `1 / sqrt(x)`.
    Root(ExprId),
}

impl Reciprocal {
    /// What `a op b` is, if it is a division of one by an `f32`.
    pub fn of(exprs: &Exprs, op: BinOp, a: ExprId, b: ExprId) -> Option<Reciprocal> {
        let one = exprs.as_const(a).is_some_and(|c| c.bits == u64::from(1f32.to_bits()));
        if op != BinOp::Div || !one || exprs.ty(a) != super::ScalarType::F32 {
            return None;
        }
        Some(match exprs.expr(b) {
            Expr::Un(UnOp::Sqrt, x) => Reciprocal::Root(x),
            _ => Reciprocal::Of(b),
        })
    }
}
