//! Parts of a thread's own array that are as long as the launch says: `for k in 0..n { t[k] = .. }`.

use crate::program::{ArrayId, BinOp, Expr, ExprId, Program, ScalarType, Stmt, StmtKind, VarId};

/// `len` elements behind the first `before` ones, each a sum of terms.
pub(super) struct Part {
    pub(super) before: Vec<ExprId>,
    pub(super) len: Vec<ExprId>,
}

/// The parts that all rounds of a loop have written together: one element each, one behind the other or backwards. Every index is in
/// range, as `bounds` has proved, so that none of these sums wraps.
pub(super) fn filled(p: &Program, stmt: &Stmt) -> Vec<(ArrayId, Part)> {
    let StmtKind::SeqFor { var, start, end, step, body } = &stmt.kind else { return Vec::new() };
    let number = |e: &ExprId| p.exprs.as_u32(*e);
    if number(start) != Some(0) || number(step) != Some(1) || !p.exprs.known_at_launch(*end) {
        return Vec::new();
    }
    let written = |inner: &Stmt| match inner.kind {
        StmtKind::Assign { array, index, .. } if p.array(array).filled.is_some() => {
            let before = before(p, index, (*var, *end))?;
            Some((array, Part { before, len: terms(p, *end) }))
        }
        _ => None,
    };
    body.iter().filter_map(written).collect()
}

/// What an index that counts `var` up to `end`, or down from there, adds to that.
fn before(p: &Program, index: ExprId, (var, end): (VarId, ExprId)) -> Option<Vec<ExprId>> {
    let mut rest = terms(p, index);
    let counts = |e: ExprId| match p.exprs.expr(e) {
        Expr::Var(v) => v == var,
        Expr::Bin(BinOp::Sub, last, counter) => {
            let last_of = |e| matches!(p.exprs.expr(e), Expr::Bin(BinOp::Sub, a, one) if a == end && p.exprs.as_u32(one) == Some(1));
            matches!(p.exprs.expr(counter), Expr::Var(v) if v == var) && last_of(last)
        }
        _ => false,
    };
    rest.remove(rest.iter().position(|&term| counts(term))?);
    rest.iter().all(|&term| p.exprs.known_at_launch(term)).then_some(rest)
}

/// A product with at most this number is a sum.
const MAX_TIMES: u32 = 8;

/// The terms of a sum, in order.
pub(super) fn terms(p: &Program, sum: ExprId) -> Vec<ExprId> {
    let (mut open, mut terms) = (vec![sum], Vec::new());
    while let Some(e) = open.pop() {
        match p.exprs.expr(e) {
            Expr::Bin(BinOp::Add, a, b) if p.exprs.ty(e) == ScalarType::U32 => open.extend([a, b]),
            Expr::Bin(BinOp::Mul, a, k) => match p.exprs.as_u32(k).filter(|&k| k <= MAX_TIMES) {
                Some(k) => open.extend((0..k).map(|_| a)),
                None => terms.push(e),
            },
            _ => terms.push(e),
        }
    }
    terms.sort_unstable();
    terms
}
