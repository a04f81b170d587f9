//! The walk through the code of a thread, for the sites in it: all lanes that come by at once.

use std::convert::Infallible;

use super::sides;
use super::site::{Purpose, Work};
use super::sites::{GuardId, Sites};
use crate::program::scoped::{Around, Rounds, Visitor, visit};
use crate::program::{Block, ExprId, Stmt, StmtKind, VarId};

impl Sites<'_> {
    /// Finds the sites of a list.
    pub(super) fn block(&mut self, block: &Block, guard: GuardId) {
        let mut code = ThreadCode { sites: self, branches: Vec::new() };
        let Ok(_) = visit(&mut code, block, Scope { guard, lanes: false, open: false });
    }

    /// The index of a loop whose number of rounds is not known: in one round all lanes are as many steps from their start.
    fn rounds(&mut self, var: VarId, start: ExprId, step: ExprId) {
        let known = self.p.exprs.as_u32(step).filter(|_| self.purpose == Purpose::Costs);
        let value = known.and_then(|step| Some((self.eval.value(&self.p.exprs, start)?, step, self.var_expr(var)?)));
        match value {
            Some((start, step, symbol)) => self.eval.bind_round(var, &start, step, symbol),
            None => self.unknown(var),
        }
    }

    /// Notes what a statement of thread code computes.
    fn computes(&mut self, stmt: &Stmt, guard: GuardId) {
        let values = match &stmt.kind {
            StmtKind::Assign { value, .. } => vec![(None, *value)],
            StmtKind::Atomic { value, expected, .. } => {
                [Some(*value), *expected].into_iter().flatten().map(|v| (None, v)).collect()
            }
            StmtKind::Let { var, value } | StmtKind::Set { var, value } | StmtKind::Shuffle { var, value, .. } => {
                vec![(Some(*var), *value)]
            }
            StmtKind::Local { var, init: Some(init) } => vec![(Some(*var), *init)],
            StmtKind::StoreVector { values, .. } => values.iter().map(|v| (None, *v)).collect(),
            _ => return,
        };
        let (mask, extents) = (self.guards[guard].mask.clone(), self.eval.extents().to_vec());
        self.work.push(Work { values, mask, extents, open: self.open > 0 });
    }
}

struct ThreadCode<'c, 'p> {
    sites: &'c mut Sites<'p>,
    /// How many sites there were before each side of the branches that are being gone through.
    branches: Vec<usize>,
}

/// What is around a statement of thread code.
#[derive(Debug, Clone, Copy)]
struct Scope {
    guard: GuardId,
    /// Whether the list is a loop whose rounds are lanes.
    lanes: bool,
    /// Whether it is a loop whose number of rounds is not known.
    open: bool,
}

impl<'s> Visitor<'s> for ThreadCode<'_, '_> {
    type Scope = Scope;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'s Stmt, scope: &Scope) -> Result<Option<Scope>, Infallible> {
        if self.sites.purpose == Purpose::Costs {
            // A load that a scheduled program repeats counts again.
            self.sites.seen.clear();
            self.sites.computes(stmt, scope.guard);
        }
        Ok(Some(*scope))
    }

    fn evaluates(&mut self, stmt: &'s Stmt, e: ExprId, scope: &Scope) -> Result<(), Infallible> {
        self.sites.reads(e, scope.guard, stmt.span);
        Ok(())
    }

    fn enter(&mut self, around: Around, list: &'s Block, outer: &Scope) -> Result<Option<Scope>, Infallible> {
        let guard = outer.guard;
        let inner = match around {
            Around::Given { cond, truth } => {
                self.branches.push(self.sites.found.len());
                if list.is_empty() {
                    return Ok(None);
                }
                Scope { guard: self.sites.branch(guard, (cond, truth)), lanes: false, open: false }
            }
            Around::Count { var, end, rounds: Rounds::InTurn { start, step } } => {
                if self.sites.enter(var, start, end, step).is_some() {
                    Scope { guard, lanes: true, open: false }
                } else if let Some(guard) = self.sites.triangle(var, (start, end, step), guard) {
                    Scope { guard, lanes: true, open: false }
                } else {
                    self.sites.rounds(var, start, step);
                    Scope { guard: self.sites.doubtful(guard), lanes: false, open: true }
                }
            }
            Around::Head => Scope { guard, lanes: false, open: true },
            Around::While { .. } => Scope { guard: self.sites.doubtful(guard), lanes: false, open: true },
            Around::Count { .. } | Around::Is { .. } => {
                Scope { guard: self.sites.doubtful(guard), lanes: false, open: false }
            }
        };
        if inner.open {
            self.sites.open();
        }
        Ok(Some(inner))
    }

    fn leave(&mut self, _: Around, _: &Scope, inner: &Scope) {
        if inner.lanes {
            self.sites.leave();
        }
        if inner.open {
            self.sites.close();
        }
    }

    fn end(&mut self, stmt: &'s Stmt, scope: Scope) -> Result<Scope, Infallible> {
        self.sites.name_of(stmt);
        self.sites.target(stmt, scope.guard);
        if let StmtKind::If { then, els, .. } = &stmt.kind {
            let (between, from) = (self.branches.pop(), self.branches.pop());
            if let (Some(from), Some(between), Purpose::Order) = (from, between, self.sites.purpose) {
                sides::join(&mut self.sites.found, (from, between), [then, els], &self.sites.guards[scope.guard]);
            }
        }
        Ok(scope)
    }
}
