//! What is seen of functions that are applied to unknown values: whether one of two values gives the same for both orders of them, by
//! comparing the two results up to the order of operands; whether it gives the same for all ways to group more values; whether one of
//! an array is decided by its length.

use super::Stage;
use super::value::{Func, Pull, Value};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::passes::walk;
use obsidian_ir::program::{BinOp, Expr, ExprId, Range};
use obsidian_ir::tables::HashSet;

/// Pairs of expressions that are compared, at most.
const MAX_PAIRS: usize = 1 << 10;

impl Stage {
    /// Whether `f(a, b)` is `f(b, a)` for all `a` and `b` that may be elements of `xs`. A "no" only says that it is not seen.
    pub(super) fn commutes(&mut self, xs: &Pull, f: &Func) -> Result<bool> {
        let (_, (statements, results)) = self.capture(|s| {
            let (_, i) = s.index_var("i", xs.len);
            let (_, element) = s.capture(|s| s.under(Level::Thread, |s| (xs.get)(s, i)))?;
            if !element.is_scalars() {
                return Ok((true, None));
            }
            let [a, b] = [s.unknown(&element)?, s.unknown(&element)?];
            let (code, results) = s.capture(|s| {
                let one = s.apply(f, vec![a.clone(), b.clone()])?;
                let other = s.apply(f, vec![b, a])?;
                Ok((one.leaves(s)?, other.leaves(s)?))
            })?;
            Ok((!code.is_empty(), Some(results)))
        })?;
        let Some((one, other)) = results.filter(|_| !statements) else { return Ok(false) };
        Ok(one.len() == other.len() && self.same(one.into_iter().zip(other).collect()))
    }

    /// Whether `f` gives the same bits for all ways to group elements of `xs`, in all orders of them: each field of `f(a, b)` is an exact
    /// operation on the fields of `a` and `b`. A "no" only says that it is not seen.
    pub(super) fn regroups(&mut self, xs: &Pull, f: &Func) -> Result<bool> {
        let (_, fields) = self.capture(|s| {
            let (_, i) = s.index_var("i", xs.len);
            let (_, element) = s.capture(|s| s.under(Level::Thread, |s| (xs.get)(s, i)))?;
            if !element.is_scalars() {
                return Ok(None);
            }
            let [a, b] = [s.unknown(&element)?, s.unknown(&element)?];
            let (code, result) = s.capture(|s| s.apply(f, vec![a.clone(), b.clone()])?.leaves(s))?;
            Ok(code.is_empty().then_some((a.leaves(s)?, b.leaves(s)?, result)))
        })?;
        let Some((a, b, result)) = fields else { return Ok(false) };
        Ok(result.len() == a.len() && result.iter().zip(a.iter().zip(&b)).all(|(r, (a, b))| self.is_exact(*r, *a, *b)))
    }

    /// Whether `result` is an operation on whole numbers that associates, wrapping round or not, and commutes.
    fn is_exact(&self, result: ExprId, a: ExprId, b: ExprId) -> bool {
        use BinOp::{Add, And, Max, Min, Mul, Or, Xor};
        let Expr::Bin(op, x, y) = self.p.exprs.expr(result) else { return false };
        let of_both = (x, y) == (a, b) || (x, y) == (b, a);
        of_both && !self.p.exprs.ty(result).is_float() && matches!(op, Add | Mul | And | Or | Xor | Min | Max)
    }

    /// Whether `test` is the same for all arrays of the length of `xs`: whether its length decides. A "no" only says that it is not seen.
    pub(super) fn decided(&mut self, xs: &Pull, test: &Func) -> Result<bool> {
        let (_, found) = self.capture(|s| {
            let (_, i) = s.index_var("i", xs.len);
            let (_, element) = s.capture(|s| s.under(Level::Thread, |s| (xs.get)(s, i)))?;
            if !element.is_scalars() {
                return Ok(None);
            }
            let any = Pull::new(xs.len, move |s, _| s.unknown(&element));
            s.apply(test, vec![Value::Pull(any)])?.scalar(s).map(Some)
        })?;
        Ok(found.is_some_and(|found| self.p.exprs.as_const(found).is_some()))
    }

    /// A value of the same form of which nothing is known.
    fn unknown(&mut self, like: &Value) -> Result<Value> {
        let mut leaves = Vec::new();
        for leaf in like.leaves(self)? {
            let ty = self.p.exprs.ty(leaf);
            let var = self.p.new_var("any", ty, false, Range::full(ty));
            leaves.push(self.p.exprs.var(var));
        }
        Ok(like.rebuild(&mut leaves.into_iter()))
    }

    /// Whether all these pairs are equal up to the order of the operands of operations that commute.
    fn same(&self, mut todo: Vec<(ExprId, ExprId)>) -> bool {
        let mut seen: HashSet<(ExprId, ExprId)> = HashSet::default();
        while let Some((a, b)) = todo.pop() {
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            if seen.len() > MAX_PAIRS {
                return false;
            }
            let exprs = &self.p.exprs;
            match (exprs.expr(a), exprs.expr(b)) {
                (Expr::Bin(op, a1, a2), Expr::Bin(other, b1, b2)) if op == other && commutative(op) => {
                    // Each operand has one partner: in order if the first is the other's first, or else crosswise.
                    let paired = |x, y| self.same_one(a1, x) && self.same_one(a2, y);
                    if !(paired(b1, b2) || paired(b2, b1)) {
                        return false;
                    }
                }
                (x, y) => {
                    let alike = std::mem::discriminant(&x) == std::mem::discriminant(&y)
                        && exprs.ty(a) == exprs.ty(b)
                        && same_operation(x, y);
                    if !alike {
                        return false;
                    }
                    todo.extend(walk::operands(x).zip(walk::operands(y)));
                }
            }
        }
        true
    }

    fn same_one(&self, a: ExprId, b: ExprId) -> bool {
        a == b || self.same(vec![(a, b)])
    }
}

fn commutative(op: BinOp) -> bool {
    use BinOp::{Add, And, Eq, Max, Min, Mul, Ne, Or, Xor};
    matches!(op, Add | Mul | And | Or | Xor | Min | Max | Eq | Ne)
}

/// Whether two expressions that are not equal do the same to their operands, and have some.
fn same_operation(x: Expr, y: Expr) -> bool {
    match (x, y) {
        (Expr::Un(a, _), Expr::Un(b, _)) => a == b,
        (Expr::Bin(a, ..), Expr::Bin(b, ..)) => a == b,
        (Expr::Load(a, _), Expr::Load(b, _)) => a == b,
        (Expr::Select(..), Expr::Select(..))
        | (Expr::Cast(_), Expr::Cast(_))
        | (Expr::Bits(_), Expr::Bits(_))
        | (Expr::MulAdd(..), Expr::MulAdd(..)) => true,
        _ => false,
    }
}
