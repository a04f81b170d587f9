//! What the conditions of the `if`s around say of numbers: `if n > 0 { reduce(xs, f) } else { .. }` asks no launch for an
//! element. In: the sides of an `if`. Out: which demands hold there.

use super::Stage;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Expr, ExprId, ParamKind, Space, UnOp, walk};

impl Stage {
    /// Evaluates a side of an `if`.
    pub(super) fn given<T>(
        &mut self,
        cond: ExprId,
        truth: bool,
        side: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outside = self.given.len();
        if self.is_stable(cond) {
            self.given.push((cond, truth));
        }
        let value = side(self);
        self.given.truncate(outside);
        value
    }

    /// Whether a value is the same wherever it is asked for in one instance: it is made of what the launch knows, of positions and of elements
    /// of inputs. Other arrays and variables may be written in between.
    fn is_stable(&self, e: ExprId) -> bool {
        walk::reachable(&self.p.exprs, [e], |_| false).into_iter().all(|e| match self.p.exprs.expr(e) {
            Expr::Load(array, _) => match self.p.array(array).space {
                Space::Global(param) => matches!(self.p.param(param).kind, ParamKind::Input { .. }),
                _ => false,
            },
            Expr::Var(v) => !self.p.var(v).mutable,
            _ => true,
        })
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
            _ => {
                self.says_order(given, truth, wanted)
                    || match (self.least(given, truth), self.least(wanted, true)) {
                        (Some((x, least)), Some((y, needed))) => x == y && least >= needed,
                        _ => false,
                    }
            }
        }
    }

    /// Whether both compare the same two, and the order that `given` tells is the wanted one.
    fn says_order(&self, given: ExprId, truth: bool, wanted: ExprId) -> bool {
        match (self.order(given, truth), self.order(wanted, true)) {
            (Some((less, more, strict)), Some((a, b, wanted))) => less == a && more == b && wanted <= strict,
            _ => false,
        }
    }

    /// The lesser and the greater of two numbers that a condition, or its opposite, compares, and whether they cannot be equal.
    fn order(&self, cond: ExprId, truth: bool) -> Option<(ExprId, ExprId, bool)> {
        let Expr::Bin(op, a, b) = self.p.exprs.expr(cond) else { return None };
        // A comparison with NaN has no opposite.
        let exact = self.p.exprs.ty(a).is_int();
        match (op, truth) {
            (BinOp::Lt, true) => Some((a, b, true)),
            (BinOp::Le, true) => Some((a, b, false)),
            (BinOp::Gt, true) => Some((b, a, true)),
            (BinOp::Ge, true) => Some((b, a, false)),
            (BinOp::Lt, false) if exact => Some((b, a, false)),
            (BinOp::Le, false) if exact => Some((b, a, true)),
            (BinOp::Gt, false) if exact => Some((a, b, false)),
            (BinOp::Ge, false) if exact => Some((a, b, true)),
            _ => None,
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
