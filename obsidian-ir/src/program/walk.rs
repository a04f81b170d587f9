//! How passes traverse statements and expressions: operands, nested blocks, what is reachable, rebuilding a node.
//! Operands have smaller ids than the node that holds them, so ascending ids are an order of evaluation; nothing here
//! recurses over expressions, which may be as deep as an unrolled loop is long.

use super::{ArrayId, Block, Expr, ExprId, Exprs, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// The operands of an expression.
pub fn operands(e: Expr) -> impl Iterator<Item = ExprId> {
    let list = match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_) | Expr::OnGpu => {
            [None, None, None]
        }
        Expr::Load(_, a) | Expr::Un(_, a) | Expr::Cast(a) | Expr::Bits(a) => [Some(a), None, None],
        Expr::Bin(_, a, b) => [Some(a), Some(b), None],
        Expr::Select(a, b, c) | Expr::MulAdd(a, b, c) => [Some(a), Some(b), Some(c)],
    };
    list.into_iter().flatten()
}

/// The expressions that a statement itself evaluates, not those of its nested blocks.
pub fn direct(kind: &StmtKind) -> impl Iterator<Item = ExprId> {
    let list = match kind {
        StmtKind::Assign { index, value, .. } => [Some(*index), Some(*value), None],
        StmtKind::Atomic { index, value, expected, .. } => [Some(*index), Some(*value), *expected],
        StmtKind::Let { value, .. } | StmtKind::Set { value, .. } => [Some(*value), None, None],
        StmtKind::Shuffle { value, lane, .. } => [Some(*value), Some(*lane), None],
        StmtKind::Local { init, .. } => [*init, None, None],
        StmtKind::If { cond, .. } | StmtKind::SeqWhile { cond, .. } => [Some(*cond), None, None],
        StmtKind::SeqFor { start, end, step, .. } => [Some(*start), Some(*end), Some(*step)],
        StmtKind::ForAll { n, .. } | StmtKind::DistrPar { n, .. } => [Some(*n), None, None],
        StmtKind::LoadVector { index, .. } | StmtKind::StoreVector { index, .. } => [Some(*index), None, None],
        StmtKind::Allocate { .. } | StmtKind::Sync { .. } => [None, None, None],
    };
    let more: &[ExprId] = if let StmtKind::StoreVector { values, .. } = kind { values } else { &[] };
    list.into_iter().flatten().chain(more.iter().copied())
}

/// The blocks inside a statement.
pub fn nested(kind: &StmtKind) -> impl Iterator<Item = &Block> {
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

/// Whether there is a barrier inside.
pub fn waits(list: &Block) -> bool {
    list.iter().any(|s| matches!(s.kind, StmtKind::Sync { .. }) || nested(&s.kind).any(waits))
}

/// The blocks inside a statement, to be changed; in the order of [`nested`].
pub fn nested_mut(kind: &mut StmtKind) -> impl Iterator<Item = &mut Block> {
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

/// A statement without its blocks.
pub fn shell(stmt: &Stmt) -> Stmt {
    let mut shell = stmt.clone();
    nested_mut(&mut shell.kind).for_each(Vec::clear);
    shell
}

/// Every expression reachable from `roots`, operands before users; does not enter those that `stop` holds for.
pub fn reachable(exprs: &Exprs, roots: impl IntoIterator<Item = ExprId>, stop: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
    let mut seen = vec![false; exprs.len()];
    let mut todo: Vec<ExprId> = roots.into_iter().collect();
    let mut order = Vec::new();
    while let Some(id) = todo.pop() {
        if !seen[id.0 as usize] && !stop(id) {
            seen[id.0 as usize] = true;
            order.push(id);
            todo.extend(operands(exprs.expr(id)));
        }
    }
    order.sort_unstable();
    order
}

/// Whether the launch knows a value: it is made of lengths, scalar arguments and constants alone.
pub fn known_at_launch(exprs: &Exprs, e: ExprId) -> bool {
    let varies = |e| matches!(exprs.expr(e), Expr::Var(_) | Expr::Load(..) | Expr::Special(_));
    !reachable(exprs, [e], |_| false).into_iter().any(varies)
}

/// The node `id` again, over the operands that `map` gives for its own. A load keeps its place in the user's text.
pub fn rebuild(exprs: &mut Exprs, id: ExprId, map: impl Fn(ExprId) -> ExprId) -> ExprId {
    let node = *exprs.node(id);
    match node.expr {
        Expr::Load(array, a) => {
            let new = exprs.load(array, map(a), node.ty);
            exprs.inherit_place(new, id);
            new
        }
        Expr::Un(op, a) => exprs.un(op, map(a)),
        Expr::Bin(op, a, b) => exprs.bin(op, map(a), map(b)),
        Expr::Select(c, a, b) => exprs.select(map(c), map(a), map(b)),
        Expr::Cast(a) => exprs.cast(map(a), node.ty),
        Expr::Bits(a) => exprs.bits(map(a), node.ty),
        Expr::MulAdd(a, b, c) => exprs.mul_add(map(a), map(b), map(c)),
        _ => id,
    }
}

/// The statement over what `expr` gives for its own expressions and `list` for its nested blocks.
pub fn map<E>(
    kind: StmtKind,
    expr: &mut dyn FnMut(ExprId) -> Result<ExprId, E>,
    list: &mut dyn FnMut(Block) -> Result<Block, E>,
) -> Result<StmtKind, E> {
    Ok(match kind {
        StmtKind::Assign { array, index, value } => {
            StmtKind::Assign { array, index: expr(index)?, value: expr(value)? }
        }
        StmtKind::Atomic { op, array, index, value, expected, old } => {
            let expected = expected.map(&mut *expr).transpose()?;
            StmtKind::Atomic { op, array, index: expr(index)?, value: expr(value)?, expected, old }
        }
        StmtKind::Let { var, value } => StmtKind::Let { var, value: expr(value)? },
        StmtKind::Local { var, init } => StmtKind::Local { var, init: init.map(expr).transpose()? },
        StmtKind::Set { var, value } => StmtKind::Set { var, value: expr(value)? },
        StmtKind::Shuffle { var, value, kind, lane } => {
            StmtKind::Shuffle { var, value: expr(value)?, kind, lane: expr(lane)? }
        }
        StmtKind::LoadVector { vars, array, index } => StmtKind::LoadVector { vars, array, index: expr(index)? },
        StmtKind::StoreVector { array, index, values } => {
            let index = expr(index)?;
            let values = values.into_iter().map(&mut *expr).collect::<Result<_, E>>()?;
            StmtKind::StoreVector { array, index, values }
        }
        StmtKind::If { cond, then, els } => StmtKind::If { cond: expr(cond)?, then: list(then)?, els: list(els)? },
        StmtKind::SeqFor { var, start, end, step, body } => {
            StmtKind::SeqFor { var, start: expr(start)?, end: expr(end)?, step: expr(step)?, body: list(body)? }
        }
        StmtKind::SeqWhile { head, cond, body } => {
            StmtKind::SeqWhile { head: list(head)?, cond: expr(cond)?, body: list(body)? }
        }
        StmtKind::ForAll { level, var, n, body } => StmtKind::ForAll { level, var, n: expr(n)?, body: list(body)? },
        StmtKind::DistrPar { level, var, n, body } => StmtKind::DistrPar { level, var, n: expr(n)?, body: list(body)? },
        kind @ (StmtKind::Allocate { .. } | StmtKind::Sync { .. }) => kind,
    })
}

/// The variables that a statement binds or sets.
pub fn bound(kind: &StmtKind) -> impl Iterator<Item = VarId> {
    let (one, more): (Option<VarId>, &[VarId]) = match kind {
        StmtKind::Let { var, .. }
        | StmtKind::Local { var, .. }
        | StmtKind::Set { var, .. }
        | StmtKind::Shuffle { var, .. }
        | StmtKind::SeqFor { var, .. }
        | StmtKind::ForAll { var, .. }
        | StmtKind::DistrPar { var, .. } => (Some(*var), &[]),
        StmtKind::Atomic { old, .. } => (*old, &[]),
        StmtKind::LoadVector { vars, .. } => (None, vars),
        StmtKind::Assign { .. }
        | StmtKind::If { .. }
        | StmtKind::SeqWhile { .. }
        | StmtKind::Allocate { .. }
        | StmtKind::StoreVector { .. }
        | StmtKind::Sync { .. } => (None, &[]),
    };
    one.into_iter().chain(more.iter().copied())
}

/// Gives the variables and the array that a statement itself names other numbers.
pub fn rename(kind: &mut StmtKind, var: &dyn Fn(VarId) -> VarId, array: &dyn Fn(ArrayId) -> ArrayId) {
    match kind {
        StmtKind::Let { var: v, .. }
        | StmtKind::Local { var: v, .. }
        | StmtKind::Set { var: v, .. }
        | StmtKind::Shuffle { var: v, .. }
        | StmtKind::SeqFor { var: v, .. }
        | StmtKind::ForAll { var: v, .. }
        | StmtKind::DistrPar { var: v, .. } => *v = var(*v),
        StmtKind::Atomic { old, array: a, .. } => {
            *old = old.map(var);
            *a = array(*a);
        }
        StmtKind::LoadVector { vars, array: a, .. } => {
            vars.iter_mut().for_each(|v| *v = var(*v));
            *a = array(*a);
        }
        StmtKind::Assign { array: a, .. }
        | StmtKind::StoreVector { array: a, .. }
        | StmtKind::Allocate { array: a } => {
            *a = array(*a);
        }
        StmtKind::If { .. } | StmtKind::SeqWhile { .. } | StmtKind::Sync { .. } => {}
    }
}

/// The array that a statement itself allocates, writes or reads; not those that its expressions load from.
pub fn array(kind: &StmtKind) -> Option<ArrayId> {
    match kind {
        StmtKind::Assign { array, .. }
        | StmtKind::Atomic { array, .. }
        | StmtKind::Allocate { array }
        | StmtKind::LoadVector { array, .. }
        | StmtKind::StoreVector { array, .. } => Some(*array),
        _ => None,
    }
}

/// Calls `f` for every statement of a list and of the blocks inside, in their order.
pub fn each(list: &[Stmt], f: &mut dyn FnMut(&Stmt)) {
    for stmt in list {
        f(stmt);
        nested(&stmt.kind).for_each(|inner| each(inner, f));
    }
}

/// The expressions that the statements of a list and of the blocks inside evaluate, in their order.
pub fn evaluated(list: &[Stmt]) -> Vec<ExprId> {
    let mut roots = Vec::new();
    each(list, &mut |stmt| roots.extend(direct(&stmt.kind)));
    roots
}

/// The value that each `Let` of a list and of the blocks inside gives its variable.
pub fn lets(list: &[Stmt]) -> HashMap<VarId, ExprId> {
    let mut found = HashMap::default();
    each(list, &mut |stmt| {
        if let StmtKind::Let { var, value } = stmt.kind {
            found.insert(var, value);
        }
    });
    found
}

/// Calls `f` for every array that the statements of a list mention, and those that their expressions load from.
pub fn mentioned(exprs: &Exprs, list: &Block, f: &mut dyn FnMut(ArrayId)) {
    let mut roots = Vec::new();
    each(list, &mut |stmt| {
        roots.extend(direct(&stmt.kind));
        array(&stmt.kind).into_iter().for_each(&mut *f);
    });
    for id in reachable(exprs, roots, |_| false) {
        if let Expr::Load(array, _) = exprs.expr(id) {
            f(array);
        }
    }
}
