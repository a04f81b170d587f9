//! The one walk for whoever must know what is around a statement: proofs, costs and barriers.
//!
//! A statement is gone through in the order in which it runs: the expressions that it evaluates, then the lists inside, each
//! with what is [`Around`] it. What a visitor knows at a place is its scope: a list is given one, and each statement may change it.

use super::{Block, ExprId, Stmt, StmtKind, VarId, walk};
use crate::level::Level;

/// What is around a place in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Around {
    /// A side of a branch or of a choice: the condition is known to be this.
    Given { cond: ExprId, truth: bool },
    /// The name of a value, which the rest of its list may use.
    Is { var: VarId, value: ExprId },
    /// A loop whose counter stays below `end`.
    Count { var: VarId, end: ExprId, rounds: Rounds },
    /// The part of a `while` before its condition.
    Head,
    /// The part of a `while` behind its condition, which holds where it begins.
    While { cond: ExprId },
}

/// How the rounds of a loop follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounds {
    /// One after another.
    InTurn { start: ExprId, step: ExprId },
    /// Each is an instance of this level; they count from 0.
    Instances(Level),
}

impl Around {
    /// A statement that is a loop with a counter.
    pub fn count(kind: &StmtKind) -> Option<Around> {
        let (var, end, rounds) = match *kind {
            StmtKind::SeqFor { var, start, end, step, .. } => (var, end, Rounds::InTurn { start, step }),
            StmtKind::ForAll { var, n, .. } => (var, n, Rounds::Instances(Level::Thread)),
            StmtKind::DistrPar { level, var, n, .. } => (var, n, Rounds::Instances(level)),
            _ => return None,
        };
        Some(Around::Count { var, end, rounds })
    }

    /// The condition that is known, and what it is known to be.
    pub fn as_given(&self) -> Option<(ExprId, bool)> {
        match *self {
            Around::Given { cond, truth } => Some((cond, truth)),
            _ => None,
        }
    }

    /// Whether it is the loop over the warps of a block.
    pub fn is_warps(&self) -> bool {
        matches!(self, Around::Count { rounds: Rounds::Instances(Level::Warp), .. })
    }

    /// What is around each of the lists in a statement, in the order of [`walk::nested`].
    fn lists(kind: &StmtKind) -> [Option<Around>; 2] {
        match *kind {
            StmtKind::If { cond, .. } => [true, false].map(|truth| Some(Around::Given { cond, truth })),
            StmtKind::SeqWhile { cond, .. } => [Some(Around::Head), Some(Around::While { cond })],
            ref kind => [Around::count(kind), None],
        }
    }
}

/// Who looks at statements.
pub(crate) trait Visitor<'p> {
    /// What it knows at a place.
    type Scope: Clone;
    /// Why it stops.
    type Stop;

    /// A statement begins. Gives the scope of its parts; `None`: they are not gone through.
    fn begin(&mut self, stmt: &'p Stmt, scope: &Self::Scope) -> Result<Option<Self::Scope>, Self::Stop>;

    /// An expression that a statement evaluates.
    fn evaluates(&mut self, _: &'p Stmt, _: ExprId, _: &Self::Scope) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// A list in a statement begins. Gives the scope of its first statement; `None`: it is not gone through.
    fn enter(
        &mut self,
        around: Around,
        list: &'p Block,
        outer: &Self::Scope,
    ) -> Result<Option<Self::Scope>, Self::Stop>;

    /// A list in a statement ends; `inner` is what it has begun with.
    fn leave(&mut self, _around: Around, _outer: &Self::Scope, _inner: &Self::Scope) {}

    /// A statement ends. Gives the scope of the next.
    fn end(&mut self, _: &'p Stmt, scope: Self::Scope) -> Result<Self::Scope, Self::Stop> {
        Ok(scope)
    }
}

/// Goes through the statements of a list; gives the scope behind them.
pub(crate) fn visit<'p, V: Visitor<'p>>(v: &mut V, list: &'p [Stmt], scope: V::Scope) -> Result<V::Scope, V::Stop> {
    list.iter().try_fold(scope, |scope, stmt| {
        if let Some(parts) = v.begin(stmt, &scope)? {
            visit_parts(v, stmt, parts)?;
        }
        v.end(stmt, scope)
    })
}

fn visit_parts<'p, V: Visitor<'p>>(v: &mut V, stmt: &'p Stmt, mut scope: V::Scope) -> Result<(), V::Stop> {
    let in_head = matches!(stmt.kind, StmtKind::SeqWhile { .. });
    if !in_head {
        evaluate(v, stmt, &scope)?;
    }
    for (list, around) in walk::nested(&stmt.kind).zip(Around::lists(&stmt.kind).into_iter().flatten()) {
        let Some(inner) = v.enter(around, list, &scope)? else { continue };
        let behind = visit(v, list, inner.clone())?;
        v.leave(around, &scope, &inner);
        if around == Around::Head {
            // What the head binds, the condition and the body may use.
            scope = behind;
            evaluate(v, stmt, &scope)?;
        }
    }
    Ok(())
}

fn evaluate<'p, V: Visitor<'p>>(v: &mut V, stmt: &'p Stmt, scope: &V::Scope) -> Result<(), V::Stop> {
    walk::direct(&stmt.kind).try_for_each(|e| v.evaluates(stmt, e, scope))
}
