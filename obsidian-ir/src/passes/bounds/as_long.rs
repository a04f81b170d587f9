//! Accesses that lack that one array is as long as another, or as a scalar says: `n <= len`. Each of them alone may need less, since
//! full chunks and the rest of an array are read at different places; all together need just that. So they wait for one another, and
//! the launch is asked once.
//!
//! That it is enough is proved for each access. That it is needed is seen in small launches (R19): in each that breaks it one of the
//! accesses strays. Where one breaks it and nothing strays, the launch is not asked, and each access is decided by itself.

use super::Check;
use super::ask::Doubt;
use super::prove::ScopeId;
use super::require::{Condition, Required};
use super::tried::{Kept, Place};
use crate::passes::index::{Poly, gcd};
use crate::program::{Expr, ExprId};

/// Accesses of a program that wait, at most.
const MAX_WAITING: usize = 64;

/// What the launch may be asked for.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    form: Poly,
    condition: Condition,
}

/// An access that waits for the others that lack the same.
#[derive(Debug)]
pub(super) struct Waiting {
    doubt: Doubt,
    relation: Relation,
    access: Kept,
}

impl Waiting {
    fn place(&self) -> Place<'_> {
        self.access.place()
    }
}

impl Check<'_> {
    /// The relation `n <= len` under which `index < len`, for a length or a scalar `n` that decides the access.
    pub(super) fn as_long(&mut self, index: ExprId, len: ExprId, s: ScopeId) -> Option<Relation> {
        let is_length = matches!(self.prover.p.exprs.expr(len), Expr::Len(_));
        if !is_length || self.waiting.len() >= MAX_WAITING {
            return None;
        }
        let values = Place { around: &self.around, index, len }.values(self.prover.p);
        values.into_iter().filter(|&n| n != len).find_map(|n| {
            let form = self.room((n, index, len), s)?;
            let condition = self.prover.as_condition(&form, &[])?;
            let relation = Relation { form, condition };
            self.is_enough(&relation, (index, len), s).then_some(relation)
        })
    }

    /// What is left of `len` behind the last index, if the index is `k i + c` with `i < n`.
    fn room(&mut self, (n, index, len): (ExprId, ExprId, ExprId), s: ScopeId) -> Option<Poly> {
        let [n, at, len] = [n, index, len].map(|e| self.prover.form(s, e));
        let mut step = 0;
        let mut of_launch = Poly::constant(at.rest());
        for &(m, c) in at.terms() {
            if self.prover.launch_value(m).is_some() {
                of_launch = of_launch.combine(1, &Poly::of(m), c.into())?;
            } else {
                step = gcd(step, i128::from(c).abs());
            }
        }
        // The last index is `k (n - 1) + c`.
        let last = n.offset(-1).times(step.max(1))?.combine(1, &of_launch, 1)?;
        len.minus(&last).map(|room| room.offset(-1))
    }

    /// The same of a relation that another access waits for: where one lacks it, its neighbours do.
    pub(super) fn as_long_as_others(&mut self, len: ExprId, index: ExprId, s: ScopeId) -> Option<Relation> {
        let relation = self.waiting.iter().find(|other| other.doubt.question.len == len)?.relation.clone();
        self.is_enough(&relation, (index, len), s).then_some(relation)
    }

    fn is_enough(&mut self, relation: &Relation, (index, len): (ExprId, ExprId), s: ScopeId) -> bool {
        self.prover.budget.begin();
        let inside = self.prover.with(s, vec![relation.form.clone()]);
        inside != s && self.prover.less(inside, index, len)
    }

    /// Keeps an access until all are seen.
    pub(super) fn wait(&mut self, doubt: Doubt, relation: Relation) {
        let access = Kept::new(&self.around, doubt.question.index, doubt.question.len);
        self.waiting.push(Waiting { doubt, relation, access });
    }

    /// Decides the accesses that wait.
    pub(super) fn decide_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        while let Some(first) = waiting.first() {
            let condition = first.relation.condition.clone();
            let (alike, others): (Vec<Waiting>, _) =
                waiting.into_iter().partition(|other| other.relation.condition == condition);
            waiting = others;
            let asked: Vec<&Condition> = self.unproved.required.iter().flat_map(|r| &r.conditions).collect();
            let places: Vec<Place<'_>> = alike.iter().map(Waiting::place).collect();
            let needed = self.trials.needed(self.prover.p, &places, &condition, &asked);
            for access in alike {
                if needed {
                    self.require(access);
                } else {
                    let asked: Vec<&Condition> = self.unproved.required.iter().flat_map(|r| &r.conditions).collect();
                    let found = self.trials.tried(self.prover.p, access.place(), &asked);
                    self.refuse(access.doubt, &access.access, found);
                }
            }
        }
    }

    fn require(&mut self, access: Waiting) {
        let Relation { form, condition } = access.relation;
        let (forms, conditions) = (vec![form], vec![condition]);
        let refusal = access.doubt.refusal;
        self.unproved.required.push(Required { forms, extents: Vec::new(), conditions, refusal, guardable: None });
    }
}
