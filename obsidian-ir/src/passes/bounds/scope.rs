//! Scopes: what the conditions, loops and names around a statement tell of the values in it.

use std::collections::BTreeSet;

use super::prove::ScopeId;
use super::{Check, Scope, Variables, vanish};
use crate::passes::index::Poly;
use crate::passes::walk::{reachable, set_in};
use crate::program::scoped::{Around, Rounds};
use crate::program::{BinOp, Block, Expr, ExprId, Stmt, StmtKind, UnOp, VarId};

impl<'p> Check<'p> {
    /// What is known, and what is around, here.
    pub(super) fn scope(&self, facts: ScopeId) -> Scope {
        Scope {
            facts,
            around: self.around.len(),
            extents: self.extents.len(),
            doubtful: self.doubtful,
            kept: self.loops.around.len(),
        }
    }

    /// What is known behind a statement, of what is known before it.
    pub(super) fn behind(&mut self, stmt: &'p Stmt, scope: Scope) -> Scope {
        self.around.truncate(scope.around);
        self.loops.around.truncate(scope.kept);
        let facts = match stmt.kind {
            StmtKind::Let { var, value } if self.steering.contains(&var) => {
                self.around.push(Around::Is { var, value });
                let facts = self.placed_among((var, value), scope.facts);
                self.bound(var, value, facts)
            }
            StmtKind::Local { var, init: Some(value) } | StmtKind::Set { var, value } => {
                let without = self.forget(stmt, scope.facts);
                let is_other = !self.prover.traits.reads(value).mutable.contains(&var);
                let is_told = is_other && self.variables == Variables::Kept && self.steering.contains(&var);
                if is_told { self.bound(var, value, without) } else { without }
            }
            StmtKind::SeqWhile { cond, .. } => {
                let (facts, _) = self.known_through(stmt, scope.facts);
                if self.variables == Variables::Kept { self.given(cond, false, facts) } else { facts }
            }
            StmtKind::SeqFor { .. } => self.known_through(stmt, scope.facts).0,
            _ => self.forget(stmt, scope.facts),
        };
        self.scope(facts)
    }

    /// The scope of a loop's body.
    pub(super) fn counted(&mut self, around: Around, body: &Block, scope: ScopeId) -> ScopeId {
        let Around::Count { var, end, rounds } = around else { return scope };
        let mut facts = self.below(var, end, scope);
        if let Rounds::InTurn { start, step } = rounds {
            let last = self.prover.p.exprs.range(end).hi + self.prover.p.exprs.range(step).hi;
            if last <= u32::MAX.into() && self.holds(start, body) {
                let (v, from) = (self.var(var, scope), self.prover.form(scope, start));
                facts.extend(v.and_then(|v| v.combine(1, &from, -1)));
            }
            if !self.holds(end, body) {
                facts.clear();
            }
        }
        let facts = self.prover.lasting(facts);
        self.prover.with(scope, facts)
    }

    /// The scope without what is known of the variables that a statement sets, but for what the loops around keep.
    pub(super) fn forget(&mut self, stmt: &Stmt, scope: ScopeId) -> ScopeId {
        let mut vars = BTreeSet::new();
        set_in(std::slice::from_ref(stmt), &mut vars);
        if vars.is_empty() {
            return scope;
        }
        let without = self.prover.without(scope, |v| vars.contains(v));
        self.prover.with(without, self.loops.around.clone())
    }

    /// Whether `e` has one value during all rounds of a loop.
    fn holds(&mut self, e: ExprId, body: &Block) -> bool {
        let mut vars = BTreeSet::new();
        set_in(body, &mut vars);
        self.prover.traits.lasting(e) && self.prover.traits.reads(e).mutable.is_disjoint(&vars)
    }

    /// The scope of statements that run where `cond` is `truth`.
    pub(super) fn given(&mut self, cond: ExprId, truth: bool, scope: ScopeId) -> ScopeId {
        let facts = self.prover.condition(scope, cond, truth);
        let facts = self.prover.lasting(facts);
        self.prover.with(scope, facts)
    }

    /// A scope with what the conditions around say in it of a value's variables, as far as these cannot have changed since.
    pub(super) fn told_again(&mut self, scope: ScopeId, value: ExprId) -> ScopeId {
        let exprs = &self.prover.p.exprs;
        let vars =
            |e: ExprId| reachable(exprs, [e], |_| false).into_iter().filter(|&e| matches!(exprs.expr(e), Expr::Var(_)));
        let own: BTreeSet<ExprId> = vars(value).collect();
        let mut open: Vec<(ExprId, bool)> = self.around.iter().rev().filter_map(Around::as_given).collect();
        let mut told = Vec::new();
        while let Some((cond, truth)) = open.pop() {
            match exprs.expr(cond) {
                // Both sides tell.
                Expr::Bin(op @ (BinOp::And | BinOp::Or), a, b) if (op == BinOp::And) == truth => {
                    open.extend([(b, truth), (a, truth)]);
                }
                Expr::Un(UnOp::Not, x) => open.push((x, !truth)),
                _ if vars(cond).any(|var| own.contains(&var)) => told.push((cond, truth)),
                _ => {}
            }
        }
        told.into_iter().fold(scope, |scope, (cond, truth)| {
            // What variables have been set since, it says no longer.
            if self.prover.traits.reads(cond).mutable.is_empty() { self.given(cond, truth, scope) } else { scope }
        })
    }

    /// `var < n`, for the index of a loop. That of a loop of at most one round is 0 wherever it is read; there is that round.
    fn below(&mut self, var: VarId, n: ExprId, scope: ScopeId) -> Vec<Poly> {
        let (v, most) = (self.var(var, scope), self.prover.p.exprs.range(n).hi);
        let n = self.prover.form(scope, n);
        match v {
            Some(v) => n.combine(1, &v, -1).map(|f| f.offset(-1)).into_iter().collect(),
            None if most == 1 => vec![n.offset(-1)],
            None => Vec::new(),
        }
    }

    /// R31. A body that runs has a count that is not zero, so what the count would be zero with is not zero either. Few proofs need it, and
    /// others would have more to search through.
    pub(super) fn with_counts(&mut self, scope: ScopeId) -> ScopeId {
        let p = self.prover.p;
        let counts: BTreeSet<ExprId> = self.extents.iter().copied().collect();
        let numbers: BTreeSet<ExprId> = counts.into_iter().flat_map(|count| vanish::with(p, count)).collect();
        let facts = numbers.into_iter().map(|number| self.prover.form(scope, number).offset(-1)).collect();
        self.prover.with(scope, facts)
    }

    /// A variable as a form; `None` where no expression reads it.
    fn var(&mut self, var: VarId, scope: ScopeId) -> Option<Poly> {
        let e = self.prover.var_expr(var)?;
        Some(self.prover.form(scope, e))
    }

    /// The scope after `let var = value`.
    pub(super) fn bound(&mut self, var: VarId, value: ExprId, scope: ScopeId) -> ScopeId {
        if !self.prover.p.exprs.ty(value).is_int() {
            return scope;
        }
        let Some(v) = self.var(var, scope) else { return scope };
        let exprs = &self.prover.p.exprs;
        // That a name is a choice of elements tells nothing, and hangs together with all that the choice reads.
        let is_choice = matches!(exprs.expr(value), Expr::Select(..)) && exprs.loads(value);
        let value = self.prover.form(scope, value);
        let equal = [v.combine(1, &value, -1), value.combine(1, &v, -1)].into_iter().flatten().collect();
        let mut facts = if is_choice { Vec::new() } else { self.prover.lasting(equal) };
        // The range holds even where the value itself would change.
        let (known, own) = (self.prover.range(scope, &value), self.prover.range(scope, &v));
        facts.extend((known.lo > own.lo).then(|| v.offset(-known.lo)));
        let below = Poly::constant(known.hi).combine(1, &v, -1);
        facts.extend(below.filter(|_| known.hi < own.hi));
        self.prover.with(scope, facts)
    }
}
