//! What the launch checks say of lengths, scalars and what is made of them: asked by other passes.

use super::prove::{Prover, ScopeId};
use crate::passes::index::Poly;
use crate::program::{ExprId, Program};

/// The scope that knows of no checks.
const ANY_LAUNCH: ScopeId = 0;

/// Proofs for every launch that a program's checks let through.
pub(crate) struct Launch<'p> {
    prover: Prover<'p>,
    checked: ScopeId,
}

impl<'p> Launch<'p> {
    pub(crate) fn new(program: &'p Program) -> Launch<'p> {
        let mut prover = Prover::new(program);
        let checked = prover.checked();
        Launch { prover, checked }
    }

    /// Whether `e` is at most `most` for certain.
    pub(crate) fn at_most(&mut self, e: ExprId, most: u64) -> bool {
        self.prover.budget.begin();
        let form = self.prover.form(self.checked, e);
        self.holds(Poly::constant(most.into()).combine(1, &form, -1))
    }

    /// Whether `e` is at least 1 for certain.
    pub(crate) fn at_least_one(&mut self, e: ExprId) -> bool {
        self.prover.budget.begin();
        let form = self.prover.form(self.checked, e);
        self.holds(Some(form.offset(-1)))
    }

    /// Whether `a + b` is at most `most` for certain.
    pub(crate) fn sum_at_most(&mut self, a: ExprId, b: ExprId, most: u64) -> bool {
        self.prover.budget.begin();
        let [a, b] = [a, b].map(|e| self.prover.form(self.checked, e));
        let sum = a.combine(1, &b, 1);
        self.holds(sum.and_then(|sum| Poly::constant(most.into()).combine(1, &sum, -1)))
    }

    /// Whether `e * times` is at least `least` for certain. What is so in any launch is found soonest without the checks.
    pub(crate) fn at_least(&mut self, e: ExprId, times: u32, least: ExprId) -> bool {
        [ANY_LAUNCH, self.checked].into_iter().any(|scope| {
            self.prover.budget.begin();
            let [e, least] = [e, least].map(|e| self.prover.form(scope, e));
            let wanted = e.combine(times.into(), &least, -1);
            wanted.is_some_and(|wanted| self.prover.certain(scope, &wanted))
        })
    }

    /// Whether the product of numbers that are at least 1 is at most `most` for certain.
    pub(crate) fn product_at_most(&mut self, factors: &[ExprId], most: u64) -> bool {
        self.prover.budget.begin();
        let forms: Vec<Poly> = factors.iter().map(|&e| self.prover.form(self.checked, e)).collect();
        let some = forms.iter().map(|f| f.offset(-1)).collect();
        let scope = self.prover.with(self.checked, some);
        let product = forms.iter().try_fold(Poly::constant(1), |all, f| self.prover.polys.product(&all, f));
        let left = product.and_then(|product| Poly::constant(most.into()).combine(1, &product, -1));
        left.is_some_and(|left| self.prover.certain(scope, &left))
    }

    fn holds(&mut self, wanted: Option<Poly>) -> bool {
        wanted.is_some_and(|wanted| self.prover.certain(self.checked, &wanted))
    }
}
