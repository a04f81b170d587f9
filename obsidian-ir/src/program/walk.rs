//! How passes traverse statements and expressions: operands, nested blocks, what is reachable, rebuilding a node.
//! Operands have smaller ids than the node that holds them, so ascending ids are an order of evaluation; nothing here
//! recurses over expressions, which may be as deep as an unrolled loop is long.

use std::collections::BTreeSet;

pub use super::parts::{
    Kind, Touch, array, array_mut, bound, bound_mut, direct, direct_mut, element_mut, nested, nested_mut, touch,
    written,
};
use super::{ArrayId, Block, Expr, ExprId, Exprs, Program, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// The operands of an expression.
pub fn operands(e: Expr) -> Operands {
    match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_) | Expr::OnGpu => {
            Operands { ids: [ExprId(0); 3], next: 0, end: 0 }
        }
        Expr::Load(_, a) | Expr::Un(_, a) | Expr::Cast(a) | Expr::Bits(a) => Operands { ids: [a; 3], next: 0, end: 1 },
        Expr::Bin(_, a, b) => Operands { ids: [a, b, b], next: 0, end: 2 },
        Expr::Select(a, b, c) | Expr::MulAdd(a, b, c) => Operands { ids: [a, b, c], next: 0, end: 3 },
    }
}

/// At most three expressions, in order. Every pass goes through these for every node, so it is no chain of adapters, which
/// cost ten times as much in a compiler that is not optimised, as a user's dev build has it.
#[derive(Debug, Clone)]
pub struct Operands {
    ids: [ExprId; 3],
    next: usize,
    end: usize,
}

impl Iterator for Operands {
    type Item = ExprId;

    fn next(&mut self) -> Option<ExprId> {
        if self.next == self.end {
            return None;
        }
        let id = self.ids[self.next];
        self.next += 1;
        Some(id)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

/// Whether an expression has no operands.
pub fn is_leaf(e: Expr) -> bool {
    operands(e).end == 0
}

/// Whether there is a barrier inside.
pub fn waits(list: &Block) -> bool {
    list.iter().any(|s| matches!(s.kind, StmtKind::Sync { .. }) || nested(&s.kind).any(waits))
}

/// A statement without its blocks.
pub fn shell(stmt: &Stmt) -> Stmt {
    let mut shell = stmt.clone();
    nested_mut(&mut shell.kind).for_each(Vec::clear);
    shell
}

/// Every expression reachable from `roots`, operands before users; does not enter those that `stop` holds for.
pub fn reachable(exprs: &Exprs, roots: impl IntoIterator<Item = ExprId>, stop: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
    reached(exprs, roots.into_iter().collect(), &stop)
}

/// Compiled once, not once for each of a hundred callers.
fn reached(exprs: &Exprs, mut todo: Vec<ExprId>, stop: &dyn Fn(ExprId) -> bool) -> Vec<ExprId> {
    let mut seen = vec![false; exprs.len()];
    let mut order = Vec::new();
    while let Some(id) = todo.pop() {
        if !seen[id.0 as usize] && !stop(id) {
            seen[id.0 as usize] = true;
            order.push(id);
            for operand in operands(exprs.expr(id)) {
                todo.push(operand);
            }
        }
    }
    in_order(order, &seen)
}

/// Sorts the expressions that were seen. Where they are many of those between the first and the last of them, it takes less to go
/// through all of these, of a whole program many times less.
fn in_order(mut found: Vec<ExprId>, seen: &[bool]) -> Vec<ExprId> {
    let (mut first, mut last) = (u32::MAX, 0);
    for id in &found {
        first = first.min(id.0);
        last = last.max(id.0);
    }
    if found.len() < 8 || (last - first) as usize / 8 > found.len() {
        found.sort_unstable();
        return found;
    }
    found.clear();
    let mut id = first;
    while id <= last {
        if seen[id as usize] {
            found.push(ExprId(id));
        }
        id += 1;
    }
    found
}

/// The node `id` again, over the operands that `map` gives for its own. It keeps its token in the user's text.
pub fn rebuild(exprs: &mut Exprs, id: ExprId, map: impl Fn(ExprId) -> ExprId) -> ExprId {
    let (node, before) = (*exprs.node(id), exprs.make_as(id));
    let new = match node.expr {
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
    };
    exprs.make_for(before);
    new
}

/// `root` with parts of it replaced: `known` says what some expressions become, and is told what all others became.
pub fn replaced(exprs: &mut Exprs, root: ExprId, known: &mut HashMap<ExprId, ExprId>) -> ExprId {
    remade(exprs, root, known, &mut |_, id, _| id)
}

/// As `replaced`, where each expression becomes what `make` says of it over what its operands became, and of what it was.
pub fn remade(
    exprs: &mut Exprs,
    root: ExprId,
    known: &mut HashMap<ExprId, ExprId>,
    make: &mut dyn FnMut(&mut Exprs, ExprId, ExprId) -> ExprId,
) -> ExprId {
    for id in reachable(exprs, [root], |id| known.contains_key(&id)) {
        let plain = rebuild(exprs, id, |operand| known[&operand]);
        let new = make(exprs, plain, id);
        known.insert(id, new);
    }
    known[&root]
}

/// Every expression of a list and of the blocks inside as `remade`, each once.
pub fn remake(exprs: &mut Exprs, list: &mut Block, make: &mut dyn FnMut(&mut Exprs, ExprId, ExprId) -> ExprId) {
    fn within(
        exprs: &mut Exprs,
        list: &mut Block,
        known: &mut HashMap<ExprId, ExprId>,
        make: &mut dyn FnMut(&mut Exprs, ExprId, ExprId) -> ExprId,
    ) {
        for Stmt { kind, .. } in list {
            direct_mut(kind).for_each(|e| *e = remade(exprs, *e, known, make));
            nested_mut(kind).for_each(|inner| within(exprs, inner, known, make));
        }
    }
    within(exprs, list, &mut HashMap::default(), make);
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

/// The variables that a list and the blocks inside change or declare anew, added to `vars`.
pub fn set_in(list: &[Stmt], vars: &mut BTreeSet<VarId>) {
    each(list, &mut |stmt| {
        if let StmtKind::Set { var, .. } | StmtKind::Local { var, .. } = stmt.kind {
            vars.insert(var);
        }
    });
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

/// What names stand for that does not change: what is loaded, or made of a variable, may be another value by now.
pub fn lasting_lets(p: &Program) -> HashMap<VarId, ExprId> {
    let changes = |e: ExprId| match p.exprs.expr(e) {
        Expr::Var(var) => p.var(var).mutable,
        expr => matches!(expr, Expr::Load(..)),
    };
    let mut found = lets(&p.body);
    found.retain(|_, value| !reachable(&p.exprs, [*value], |_| false).into_iter().any(changes));
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
