//! Where statements stand in a program: the lists on the way to each, and which statement comes before which.

use crate::passes::walk;
use crate::program::scoped::Around;
use crate::program::{ArrayId, Block, Expr, Program, Stmt, StmtKind};

/// The lists on the way to a statement, outermost first, and the place in each.
#[derive(Debug, Clone)]
pub(super) struct Path<'p> {
    steps: Vec<(&'p Block, usize)>,
    stmt: &'p Stmt,
}

/// The paths to all statements of a program.
pub(super) fn all(p: &Program) -> Vec<Path<'_>> {
    let mut found = Vec::new();
    of_list(&p.body, &mut Vec::new(), &mut found);
    found
}

fn of_list<'p>(list: &'p Block, steps: &mut Vec<(&'p Block, usize)>, found: &mut Vec<Path<'p>>) {
    for (at, stmt) in list.iter().enumerate() {
        steps.push((list, at));
        found.push(Path { steps: steps.clone(), stmt });
        walk::nested(&stmt.kind).for_each(|inner| of_list(inner, steps, found));
        steps.pop();
    }
}

impl<'p> Path<'p> {
    pub(super) fn stmt(&self) -> &'p Stmt {
        self.stmt
    }

    /// The place of the statement's own list in the path.
    pub(super) fn depth(&self) -> usize {
        self.steps.len() - 1
    }

    /// The statement at a place of the path.
    pub(super) fn at(&self, depth: usize) -> &'p Stmt {
        let (list, at) = self.steps[depth];
        &list[at]
    }

    /// Whether the lists of two paths are the same down to a place.
    pub(super) fn is_in_list_of(&self, other: &Path<'p>, depth: usize) -> bool {
        let lists = |path: &Path<'p>| path.steps.get(depth).map(|&(list, _)| std::ptr::from_ref(list));
        lists(self).is_some() && lists(self) == lists(other)
    }

    /// Whether this stands before another statement in the list at a place of both paths.
    pub(super) fn comes_before_at(&self, other: &Path<'p>, depth: usize) -> bool {
        self.is_in_list_of(other, depth) && self.steps[depth].1 < other.steps[depth].1
    }

    /// Whether this is done before another statement in each execution of the list in which their ways part.
    pub(super) fn comes_before(&self, other: &Path<'p>) -> bool {
        let parts = |&depth: &usize| self.is_in_list_of(other, depth) && self.steps[depth].1 != other.steps[depth].1;
        (0..self.steps.len()).find(parts).is_some_and(|depth| self.comes_before_at(other, depth))
    }

    /// What is around the statement inside the list at a place of the path.
    pub(super) fn around(&self, depth: usize) -> impl Iterator<Item = Around> {
        self.steps[depth..].windows(2).filter_map(|two| {
            let ((list, at), (inner, _)) = (two[0], two[1]);
            match &list[at].kind {
                StmtKind::If { cond, then, .. } => {
                    Some(Around::Given { cond: *cond, truth: std::ptr::eq(then, inner) })
                }
                StmtKind::SeqWhile { cond, .. } => Some(Around::While { cond: *cond }),
                kind => Around::count(kind),
            }
        })
    }

    /// Whether the statement itself loads from an array.
    pub(super) fn loads(&self, p: &Program, array: ArrayId) -> bool {
        let all = walk::reachable(&p.exprs, walk::direct(&self.stmt.kind), |e| !p.exprs.loads(e));
        all.into_iter().any(|e| matches!(p.exprs.expr(e), Expr::Load(from, _) if from == array))
    }
}
