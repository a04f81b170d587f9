//! Complements of integers, which a dialect may spell so that a compiler does not see them. Decides no value.

use super::Printer;
use super::spelling::Text;
use crate::program::{BinOp, Const, Expr, ExprId, UnOp};

impl Printer<'_> {
    /// A complement in the dialect's own spelling, where it has one: that of an operand, or what a compiler takes for one.
    pub(super) fn complement(&mut self, id: ExprId) -> Option<Text> {
        let spelled = self.dialect.complement?;
        let exprs = &self.p.exprs;
        let ones = |id: ExprId| match exprs.expr(id) {
            Expr::Const(Const { ty, bits }) => bits == u64::MAX >> (64 - ty.bits()),
            _ => false,
        };
        let of = match exprs.expr(id) {
            Expr::Un(UnOp::Not, x) => x,
            Expr::Bin(BinOp::Xor, x, k) | Expr::Bin(BinOp::Xor | BinOp::Sub, k, x) if ones(k) => x,
            _ => return None,
        };
        let ty = exprs.ty(id);
        ty.is_int().then(|| Text::primary(spelled((self.dialect.ty)(ty), &self.code(of))))
    }
}
