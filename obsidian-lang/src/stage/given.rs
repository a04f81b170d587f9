//! What the conditions of the `if`s around say of lengths and scalars: `if n > 0 { reduce(xs, f) } else { .. }` asks no launch for an
//! element. In: the sides of an `if` whose condition the launch knows. Out: which demands hold there.

use super::Stage;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Expr, ExprId, UnOp, walk};

impl Stage {
    /// Evaluates a side of an `if`.
    pub(super) fn given<T>(
        &mut self,
        cond: ExprId,
        truth: bool,
        side: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outside = self.given.len();
        if walk::known_at_launch(&self.p.exprs, cond) {
            self.given.push((cond, truth));
        }
        let value = side(self);
        self.given.truncate(outside);
        value
    }

    /// Whether a condition holds wherever the code that is being made runs.
    pub(super) fn is_given(&self, cond: ExprId) -> bool {
        self.given.iter().any(|&(given, truth)| self.says(given, truth, cond))
    }

    /// Whether `wanted` follows from `given` being `truth`.
    fn says(&self, given: ExprId, truth: bool, wanted: ExprId) -> bool {
        if given == wanted {
            return truth;
        }
        match (self.p.exprs.expr(given), truth) {
            (Expr::Un(UnOp::Not, inner), _) => self.says(inner, !truth, wanted),
            (Expr::Bin(BinOp::And, a, b), true) | (Expr::Bin(BinOp::Or, a, b), false) => {
                self.says(a, truth, wanted) || self.says(b, truth, wanted)
            }
            _ => match (self.least(given, truth), self.least(wanted, true)) {
                (Some((x, least)), Some((y, needed))) => x == y && least >= needed,
                _ => false,
            },
        }
    }

    /// The least that a condition, or its opposite, says of a number.
    fn least(&self, cond: ExprId, truth: bool) -> Option<(ExprId, u64)> {
        let Expr::Bin(op, a, b) = self.p.exprs.expr(cond) else { return None };
        let number = |e: ExprId| self.p.exprs.as_u32(e).map(u64::from);
        match (op, truth, number(a), number(b)) {
            (BinOp::Eq, false, _, Some(0)) | (BinOp::Ne, true, _, Some(0)) => Some((a, 1)),
            (BinOp::Ge, true, _, Some(k)) | (BinOp::Lt, false, _, Some(k)) => Some((a, k)),
            (BinOp::Gt, true, _, Some(k)) | (BinOp::Le, false, _, Some(k)) => Some((a, k + 1)),
            (BinOp::Le, true, Some(k), _) | (BinOp::Gt, false, Some(k), _) => Some((b, k)),
            (BinOp::Lt, true, Some(k), _) | (BinOp::Ge, false, Some(k), _) => Some((b, k + 1)),
            _ => None,
        }
    }
}
