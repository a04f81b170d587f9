//! Values that may be evaluated before their statement: what guards them there is not needed to prove that their loads are in range.

use std::convert::Infallible;

use super::prove::ScopeId;
use super::{Access, Check, Scope, Variables};
use crate::passes::walk::operands;
use crate::program::scoped::{Around, Visitor, visit};
use crate::program::{Block, Expr, ExprId, Program, Stmt};
use crate::tables::{HashMap, HashSet};

/// Values that are asked for, by the statement that evaluates them.
pub(crate) type Asked = HashMap<*const Stmt, Vec<ExprId>>;

/// Of the values that are asked for, those whose loads are proved by what is known before the statement.
pub(crate) fn early(program: &Program, asked: &Asked) -> HashSet<(*const Stmt, ExprId)> {
    let mut early = Early { check: Check::new(program, Vec::new(), Variables::Kept), asked, found: HashSet::default() };
    let facts = early.check.prover.checked();
    let top = early.check.scope(facts);
    let Ok(_) = visit(&mut early, &program.body, top);
    early.found
}

struct Early<'a, 'p> {
    check: Check<'p>,
    asked: &'a Asked,
    found: HashSet<(*const Stmt, ExprId)>,
}

impl<'p> Visitor<'p> for Early<'_, 'p> {
    type Scope = Scope;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, scope: &Scope) -> Result<Option<Scope>, Infallible> {
        self.check.begin(stmt, scope)
    }

    fn evaluates(&mut self, stmt: &'p Stmt, e: ExprId, scope: &Scope) -> Result<(), Infallible> {
        let place = std::ptr::from_ref(stmt);
        let Some(values) = self.asked.get(&place) else { return Ok(()) };
        self.check.prove_plainly(e, scope.facts);
        let proved = values.iter().filter(|&&value| self.check.is_inside(value, scope.facts));
        self.found.extend(proved.map(|&value| (place, value)));
        Ok(())
    }

    fn enter(&mut self, around: Around, list: &'p Block, outer: &Scope) -> Result<Option<Scope>, Infallible> {
        self.check.enter(around, list, outer)
    }

    fn leave(&mut self, around: Around, outer: &Scope, inner: &Scope) {
        self.check.leave(around, outer, inner);
    }

    fn end(&mut self, stmt: &'p Stmt, scope: Scope) -> Result<Scope, Infallible> {
        self.check.end(stmt, scope)
    }
}

impl Check<'_> {
    /// Whether all loads of a value are proved, each with the conditions that the value itself has around it.
    fn is_inside(&mut self, e: ExprId, scope: ScopeId) -> bool {
        if !self.prover.p.exprs.loads(e) || self.is_done(e, scope) {
            return true;
        }
        let expr = self.prover.p.exprs.expr(e);
        let inside = match expr {
            Expr::Select(c, a, b) => {
                self.is_inside(c, scope)
                    && [(a, true), (b, false)].into_iter().all(|(side, truth)| {
                        let inner = if self.prover.has_room() { self.prover.branch(scope, c, truth) } else { scope };
                        self.is_inside(side, inner)
                    })
            }
            _ => operands(expr).all(|x| self.is_inside(x, scope)) && self.loads_inside(e, scope),
        };
        if inside {
            self.done.insert((e, scope), Vec::new());
        }
        inside
    }

    fn loads_inside(&mut self, e: ExprId, scope: ScopeId) -> bool {
        let Expr::Load(array, index) = self.prover.p.exprs.expr(e) else { return true };
        let len = Access::Read(e).len(self.prover.p, array);
        self.prover.budget.begin();
        self.prover.p.array(array).assertion().is_none() && self.prover.less(scope, index, len)
    }
}
