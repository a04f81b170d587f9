//! The accesses to one array, each where it happens and with what is known there.

use std::ops::ControlFlow;

use super::prove::{Prover, ScopeId};
use super::{Check, Scope, Variables};
use crate::passes::walk::{self, operands, reachable, touch};
use crate::program::scoped::{Around, Visitor, visit};
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, Stmt};
use crate::tables::HashSet;

/// All indices of an array.
pub(super) fn indices_of(program: &Program, array: ArrayId) -> Vec<ExprId> {
    let loads = reachable(&program.exprs, walk::evaluated(&program.body), |_| false);
    let mut found: Vec<ExprId> = loads.into_iter().filter_map(|e| index_of(program, e, array)).collect();
    walk::each(&program.body, &mut |stmt| {
        found.extend(touch(&stmt.kind).filter(|t| t.array == array).map(|t| t.index))
    });
    found.sort_unstable();
    found.dedup();
    found
}

fn index_of(program: &Program, load: ExprId, array: ArrayId) -> Option<ExprId> {
    match program.exprs.expr(load) {
        Expr::Load(of, index) if of == array => Some(index),
        _ => None,
    }
}

/// Calls `each` with the index of each access to an array, and what is known there, until that breaks off. Those that are read several times
/// where the same is known come once.
pub(super) fn each_access<'p>(
    program: &'p Program,
    array: ArrayId,
    each: impl FnMut(&mut Prover<'p>, ExprId, ScopeId) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut check = Check::new(program, Vec::new(), Variables::Kept);
    let facts = check.prover.checked();
    let top = check.scope(facts);
    let mut accesses = Accesses { check, array, each, seen: HashSet::default() };
    match visit(&mut accesses, &program.body, top) {
        Ok(_) => ControlFlow::Continue(()),
        Err(BrokenOff) => ControlFlow::Break(()),
    }
}

struct BrokenOff;

struct Accesses<'p, F> {
    check: Check<'p>,
    array: ArrayId,
    each: F,
    /// What has been looked at, where this is known.
    seen: HashSet<(ExprId, ScopeId)>,
}

impl<'p, F: FnMut(&mut Prover<'p>, ExprId, ScopeId) -> ControlFlow<()>> Visitor<'p> for Accesses<'p, F> {
    type Scope = Scope;
    type Stop = BrokenOff;

    fn begin(&mut self, stmt: &'p Stmt, scope: &Scope) -> Result<Option<Scope>, BrokenOff> {
        let Ok(inner) = self.check.begin(stmt, scope);
        Ok(inner)
    }

    fn evaluates(&mut self, _: &'p Stmt, e: ExprId, scope: &Scope) -> Result<(), BrokenOff> {
        let scope = self.with_asked(scope.facts);
        self.loads(e, scope)
    }

    fn enter(&mut self, around: Around, list: &'p Block, outer: &Scope) -> Result<Option<Scope>, BrokenOff> {
        let Ok(inner) = self.check.enter(around, list, outer);
        Ok(inner)
    }

    fn leave(&mut self, around: Around, outer: &Scope, inner: &Scope) {
        self.check.leave(around, outer, inner);
    }

    fn end(&mut self, stmt: &'p Stmt, scope: Scope) -> Result<Scope, BrokenOff> {
        if let Some(touch) = touch(&stmt.kind).filter(|touch| touch.array == self.array) {
            let known = self.with_asked(scope.facts);
            self.access(touch.index, known)?;
        }
        Ok(self.check.behind(stmt, scope))
    }
}

impl<'p, F: FnMut(&mut Prover<'p>, ExprId, ScopeId) -> ControlFlow<()>> Accesses<'p, F> {
    /// The loads of a value, each with the conditions that the value itself has around it.
    fn loads(&mut self, e: ExprId, scope: ScopeId) -> Result<(), BrokenOff> {
        let p = self.check.prover.p;
        if !p.exprs.loads(e) || !self.seen.insert((e, scope)) {
            return Ok(());
        }
        match p.exprs.expr(e) {
            Expr::Select(c, a, b) => {
                self.loads(c, scope)?;
                for (side, truth) in [(a, true), (b, false)] {
                    let prover = &mut self.check.prover;
                    let inner = if prover.has_room() { prover.branch(scope, c, truth) } else { scope };
                    self.loads(side, inner)?;
                }
            }
            expr => operands(expr).try_for_each(|part| self.loads(part, scope))?,
        }
        match index_of(p, e, self.array) {
            Some(index) => self.access(index, scope),
            None => Ok(()),
        }
    }

    fn access(&mut self, index: ExprId, scope: ScopeId) -> Result<(), BrokenOff> {
        match (self.each)(&mut self.check.prover, index, scope) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(BrokenOff),
        }
    }

    /// With what the launch is asked for only where the loops around go round, which they do here.
    fn with_asked(&mut self, scope: ScopeId) -> ScopeId {
        let Check { prover, extents, .. } = &mut self.check;
        let exprs = &prover.p.exprs;
        let goes_round = |e: ExprId| match exprs.expr(e) {
            Expr::Bin(BinOp::Ne, count, zero) => exprs.as_u32(zero) == Some(0) && extents.contains(&count),
            _ => false,
        };
        let asked = prover.p.checks.iter().filter_map(|check| match exprs.expr(check.cond) {
            Expr::Select(work, asked, other) if exprs.as_const(other)?.bits == 1 && goes_round(work) => Some(asked),
            _ => None,
        });
        let asked: Vec<ExprId> = asked.collect();
        asked.into_iter().fold(scope, |scope, cond| {
            let facts = prover.condition(scope, cond, true);
            prover.with(scope, facts)
        })
    }
}
