//! What the text leaves out, because it is what anybody would expect. Printer and reader ask here, so that they agree.

use crate::program::walk;
use crate::program::{Expr, ExprId, Program, Range, ScalarType, Special, StmtKind};
use crate::tables::HashSet;

/// Limit on shared memory that is not mentioned, in bytes.
pub(super) const SHARED_LIMIT: u32 = 49152;

/// The range that a statement suggests for a variable of type `ty` that it binds.
pub(super) fn range(p: &Program, kind: &StmtKind, ty: ScalarType) -> Range {
    let e = &p.exprs;
    match kind {
        StmtKind::Let { value, .. } => e.range(*value),
        StmtKind::ForAll { n, .. } | StmtKind::DistrPar { n, .. } => Range::new(0, (e.range(*n).hi - 1).max(0)),
        StmtKind::SeqFor { start, end, .. } => {
            let lo = e.range(*start).lo;
            Range::new(lo, (e.range(*end).hi - 1).max(lo))
        }
        _ => Range::full(ty),
    }
}

/// The greatest value of a register.
pub(super) fn register(p: &Program, register: Special) -> u32 {
    match register {
        Special::Tid => p.threads.saturating_sub(1),
        Special::WarpId => p.threads.div_ceil(32).saturating_sub(1),
        Special::Lane => p.lanes().saturating_sub(1),
        Special::BlockIdx | Special::GridDim => i32::MAX as u32,
    }
}

/// The value that a refused launch reports: the leftmost length or argument of its condition.
pub(super) fn found(p: &Program, cond: ExprId) -> Option<ExprId> {
    let mut seen = HashSet::default();
    let mut todo = vec![cond];
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        let expr = p.exprs.expr(id);
        if matches!(expr, Expr::Len(_) | Expr::Scalar(_)) {
            return Some(id);
        }
        let below: Vec<ExprId> = walk::operands(expr).collect();
        todo.extend(below.into_iter().rev());
    }
    None
}

/// The number of blocks: that of the grid's loops, if they agree.
pub(super) fn blocks(p: &Program) -> Option<ExprId> {
    let count = |kind: &StmtKind| match kind {
        StmtKind::DistrPar { n, .. } => Some(*n),
        StmtKind::SeqFor { start, end, .. } if p.exprs.expr(*start) == Expr::Special(Special::BlockIdx) => Some(*end),
        _ => None,
    };
    let mut counts = p.body.iter().filter_map(|s| count(&s.kind));
    let first = counts.next()?;
    counts.all(|n| n == first).then_some(first)
}

/// Whether an expression shows its type without its surroundings.
pub(super) fn evident(p: &Program, id: ExprId) -> bool {
    // What is shared is looked at once: choices between numbers, each of what was chosen before, have no end otherwise.
    let mut seen = HashSet::default();
    let mut todo = vec![id];
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        match p.exprs.expr(id) {
            Expr::Const(c) if c.ty != ScalarType::Bool => {}
            Expr::Un(_, a) => todo.push(a),
            Expr::Bin(op, a, b) if !op.is_comparison() => todo.extend([b, a]),
            Expr::Select(_, a, b) => todo.extend([b, a]),
            Expr::MulAdd(a, b, c) => todo.extend([c, b, a]),
            _ => return true,
        }
    }
    false
}
