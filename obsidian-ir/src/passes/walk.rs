//! How passes look at statements and expressions: operands, nested blocks, what is reachable, rebuilding a node.
//! Operands have smaller ids than the node that holds them, so ascending ids are an order of evaluation; nothing here
//! recurses over expressions, which may be as deep as an unrolled loop is long.

use std::collections::HashSet;

use crate::program::{Block, Expr, ExprId, Exprs, StmtKind};

/// The operands of an expression.
pub(crate) fn operands(e: Expr) -> impl Iterator<Item = ExprId> {
    let list = match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_) => [None, None, None],
        Expr::Load(_, a) | Expr::Un(_, a) | Expr::Cast(a) => [Some(a), None, None],
        Expr::Bin(_, a, b) => [Some(a), Some(b), None],
        Expr::Select(c, a, b) => [Some(c), Some(a), Some(b)],
    };
    list.into_iter().flatten()
}

/// The expressions that a statement itself evaluates, not those of its nested blocks.
pub(crate) fn direct(kind: &StmtKind) -> impl Iterator<Item = ExprId> {
    let list = match kind {
        StmtKind::Assign { index, value, .. } => [Some(*index), Some(*value), None],
        StmtKind::Atomic { index, value, expected, .. } => [Some(*index), Some(*value), *expected],
        StmtKind::Let { value, .. } | StmtKind::Set { value, .. } => [Some(*value), None, None],
        StmtKind::Local { init, .. } => [*init, None, None],
        StmtKind::If { cond, .. } | StmtKind::SeqWhile { cond, .. } => [Some(*cond), None, None],
        StmtKind::SeqFor { start, end, step, .. } => [Some(*start), Some(*end), Some(*step)],
        StmtKind::ForAll { n, .. } | StmtKind::DistrPar { n, .. } => [Some(*n), None, None],
        StmtKind::Allocate { .. } | StmtKind::Sync { .. } => [None, None, None],
    };
    list.into_iter().flatten()
}

/// The blocks inside a statement.
pub(crate) fn nested(kind: &StmtKind) -> impl Iterator<Item = &Block> {
    let list = match kind {
        StmtKind::If { then, els, .. } => [Some(then), Some(els)],
        StmtKind::SeqWhile { head, body, .. } => [Some(head), Some(body)],
        StmtKind::SeqFor { body, .. } | StmtKind::ForAll { body, .. } | StmtKind::DistrPar { body, .. } => {
            [Some(body), None]
        }
        _ => [None, None],
    };
    list.into_iter().flatten()
}

/// Every expression reachable from `roots`, operands before users; does not enter those that `stop` holds for.
pub(crate) fn reachable(
    exprs: &Exprs,
    roots: impl IntoIterator<Item = ExprId>,
    stop: impl Fn(ExprId) -> bool,
) -> Vec<ExprId> {
    let mut seen = HashSet::new();
    let mut todo: Vec<ExprId> = roots.into_iter().collect();
    while let Some(id) = todo.pop() {
        if !stop(id) && seen.insert(id) {
            todo.extend(operands(exprs.expr(id)));
        }
    }
    let mut order: Vec<ExprId> = seen.into_iter().collect();
    order.sort_unstable();
    order
}

/// The node `id` again, over the operands that `map` gives for its own.
pub(crate) fn rebuild(exprs: &mut Exprs, id: ExprId, map: impl Fn(ExprId) -> ExprId) -> ExprId {
    let node = *exprs.node(id);
    match node.expr {
        Expr::Load(array, a) => exprs.load(array, map(a), node.ty),
        Expr::Un(op, a) => exprs.un(op, map(a)),
        Expr::Bin(op, a, b) => exprs.bin(op, map(a), map(b)),
        Expr::Select(c, a, b) => exprs.select(map(c), map(a), map(b)),
        Expr::Cast(a) => exprs.cast(map(a), node.ty),
        _ => id,
    }
}
