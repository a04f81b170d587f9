//! The loads of an expression, each proved once: what was proved where as much or less is known needs no other proof. A proof by what
//! the launch is asked for in some loops, or by their counts (R31), holds in these: the launch need not keep it where one of them goes round no time.

use super::ask::{Along, Doubt, Guard, Question};
use super::prove::ScopeId;
use super::{Access, Check};
use crate::diag::Span;
use crate::passes::walk::operands;
use crate::program::scoped::Around;
use crate::program::{ArrayId, Coordinate, Expr, ExprId};

impl Check<'_> {
    /// Proves the loads of an expression.
    pub(super) fn loads(&mut self, e: ExprId, scope: ScopeId, span: Span) {
        if !self.prover.p.exprs.loads(e) {
            return;
        }
        if let Some(leans) = self.done_here(e, scope) {
            self.leans |= leans;
            return;
        }
        let outer = std::mem::take(&mut self.leans);
        if self.loads_anew(e, scope, span) {
            let within = if self.leans { self.extents.clone() } else { Vec::new() };
            self.done.insert((e, scope), within);
        }
        self.leans |= outer;
    }

    /// The same of an expression that is not done; those of a side not chosen do not happen. Whether it is done now.
    fn loads_anew(&mut self, e: ExprId, scope: ScopeId, span: Span) -> bool {
        let expr = self.prover.p.exprs.expr(e);
        if let Expr::Select(c, a, b) = expr {
            self.loads(c, scope, span);
            self.prover.budget.begin();
            let doubt = u32::from(self.is_doubtful(c));
            self.doubtful += doubt;
            for (side, truth) in [(a, true), (b, false)] {
                if self.prover.p.exprs.loads(side) {
                    let inner = if self.prover.has_room() { self.prover.branch(scope, c, truth) } else { scope };
                    self.inside(Around::Given { cond: c, truth }, |check| check.loads(side, inner, span));
                }
            }
            self.doubtful -= doubt;
            return true;
        }
        for operand in operands(expr) {
            self.loads(operand, scope, span);
        }
        let Expr::Load(array, index) = expr else { return true };
        let place = self.prover.p.exprs.place(e).or(span);
        if self.prover.p.array(array).assertion().is_some() {
            self.assertion(e, place);
            return false;
        }
        for question in self.questions(e, array, index) {
            if let Some(refusal) = self.outside(question, scope, place) {
                let guard = if self.depends_on_data(question.index) { Guard::Given } else { Guard::Open };
                self.ask(Doubt { question, guard, refusal }, scope);
            }
        }
        true
    }

    /// What is to be proved of a load: that its index is in the array, or, in a matrix, its row and its column in theirs (R13).
    pub(super) fn questions(&self, load: ExprId, array: ArrayId, index: ExprId) -> Vec<Question> {
        let p = self.prover.p;
        let access = Access::Read(load);
        match p.exprs.coordinates.of(load) {
            Some(pair @ [row, column]) if self.prover.is_exact(row.len, column.len) => {
                let others = [column.len, row.len];
                let of_side = |(Coordinate { side, at, len }, other)| Question {
                    access,
                    array,
                    index: at,
                    len,
                    along: Some(Along { side, other }),
                };
                pair.into_iter().zip(others).map(of_side).collect()
            }
            _ => vec![Question::whole(p, access, array, index)],
        }
    }

    /// Whether the loads of `e` are proved here or where less is known, whatever the launch.
    pub(super) fn is_done(&self, e: ExprId, scope: ScopeId) -> bool {
        self.scopes_of(scope).any(|s| self.done.get(&(e, s)).is_some_and(Vec::is_empty))
    }

    /// If they are proved in these loops: whether by what the launch is asked for in them.
    fn done_here(&self, e: ExprId, scope: ScopeId) -> Option<bool> {
        let mut known = self.scopes_of(scope).filter_map(|s| self.done.get(&(e, s)));
        let within = known.find(|within| within.iter().all(|n| self.extents.contains(n)))?;
        Some(!within.is_empty())
    }

    /// A scope, and those whose facts hold in it.
    fn scopes_of(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(scope), |&s| self.prover.parent(s))
    }
}
