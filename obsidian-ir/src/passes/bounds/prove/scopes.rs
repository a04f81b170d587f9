//! Scopes: what is known at a place. Scopes that know the same are one, so that what was found in one is found in all.

use std::rc::Rc;

use super::Prover;
use super::reading::expr_of;
use crate::passes::index::{Mono, Poly};
use crate::program::{ExprId, Range, VarId};
use crate::tables::HashMap;

/// Index of a scope.
pub(in crate::passes::bounds) type ScopeId = usize;

/// What is known at a place.
#[derive(Default)]
pub(super) struct Scope {
    /// The scope whose facts all hold here too.
    parent: Option<ScopeId>,
    /// Forms that are not negative.
    pub(super) facts: Rc<Vec<Poly>>,
    /// What facts on a single atom say.
    pub(super) ranges: HashMap<Mono, Range>,
}

impl Prover<'_> {
    /// The scope whose facts all hold in this one too.
    pub(in crate::passes::bounds) fn parent(&self, s: ScopeId) -> Option<ScopeId> {
        self.scopes[s].parent
    }

    /// The scope in which the launch checks hold.
    pub(in crate::passes::bounds) fn checked(&mut self) -> ScopeId {
        let p = self.p;
        self.launched = p.checks.iter().fold(0, |scope, launch| {
            let facts = self.condition(scope, launch.cond, true);
            self.with(scope, facts)
        });
        self.launched
    }

    /// What a scope knows: forms that are not negative.
    pub(in crate::passes::bounds) fn facts(&self, s: ScopeId) -> Rc<Vec<Poly>> {
        self.scopes[s].facts.clone()
    }

    /// What a scope knows besides what is known in one around it.
    pub(super) fn said_beside(&self, inner: ScopeId, outer: ScopeId) -> &[Poly] {
        &self.scopes[inner].facts[self.scopes[outer].facts.len()..]
    }

    /// `s` with more facts; `s` itself where there is none.
    pub(in crate::passes::bounds) fn with(&mut self, s: ScopeId, more: Vec<Poly>) -> ScopeId {
        let old = &self.scopes[s];
        let says_more = |f: &Poly| f.as_constant().is_none_or(|c| c < 0) && !old.facts.contains(f);
        let new: Vec<Poly> = more.into_iter().filter(says_more).collect();
        if new.is_empty() {
            return s;
        }
        if let Some(&made) = self.made.get(&(s, new.clone())) {
            return made;
        }
        let key = (s, new.clone());
        let mut facts = (*old.facts).clone();
        let mut ranges = old.ranges.clone();
        for f in new {
            if let Some((atom, c, k)) = f.single() {
                let base = ranges.get(&atom).copied().unwrap_or_else(|| self.node_range(atom));
                // c * x + k >= 0
                let limit = if c > 0 {
                    Range::new((-k).div_euclid(c) + i128::from((-k).rem_euclid(c) > 0), base.hi)
                } else {
                    Range::new(base.lo, k.div_euclid(-c))
                };
                let both = Range::new(base.lo.max(limit.lo), base.hi.min(limit.hi));
                if both.lo <= both.hi {
                    ranges.insert(atom, both);
                }
            }
            facts.push(f);
        }
        self.budget.spend(facts.len());
        self.scopes.push(Scope { parent: Some(s), facts: facts.into(), ranges });
        let made = self.scopes.len() - 1;
        self.made.insert(key, made);
        made
    }

    /// `s` without what is known of variables whose values change.
    pub(in crate::passes::bounds) fn without(&mut self, s: ScopeId, changed: impl Fn(&VarId) -> bool) -> ScopeId {
        let facts = self.scopes[s].facts.clone();
        let mut stay = Vec::new();
        for f in facts.iter() {
            let atoms: Vec<Mono> = f.monos().flat_map(|m| self.polys.factors(m)).collect();
            let mut sets = |e| self.traits.reads(e).mutable.iter().any(&changed);
            let lost = atoms.into_iter().any(|a| expr_of(&self.polys, a).is_none_or(&mut sets));
            if !lost {
                stay.push(f.clone());
            }
        }
        if stay.len() == facts.len() {
            return s;
        }
        let within = |&s: &ScopeId| stay.starts_with(&self.scopes[s].facts);
        let base = std::iter::successors(Some(s), |&s| self.parent(s)).find(within).unwrap_or(0);
        self.with(base, stay)
    }

    /// The scope of a branch within an expression: `cond` is `truth` there.
    pub(in crate::passes::bounds) fn branch(&mut self, s: ScopeId, cond: ExprId, truth: bool) -> ScopeId {
        if let Some(&b) = self.branches.get(&(s, cond, truth)) {
            return b;
        }
        let facts = self.condition(s, cond, truth);
        let b = self.with(s, facts);
        if !self.budget.given_up() {
            self.branches.insert((s, cond, truth), b);
        }
        b
    }

    /// Of `facts`, those that go on holding when other statements run.
    pub(in crate::passes::bounds) fn lasting(&mut self, facts: Vec<Poly>) -> Vec<Poly> {
        let (polys, traits) = (&self.polys, &mut self.traits);
        let mut lasts = |a| expr_of(polys, a).is_some_and(|e| traits.lasting(e));
        facts.into_iter().filter(|f| f.monos().flat_map(|m| polys.factors(m)).all(&mut lasts)).collect()
    }

    /// What the facts of a scope on a single atom say of it.
    pub(in crate::passes::bounds) fn known_range(&self, s: ScopeId, atom: Mono) -> Option<Range> {
        self.scopes[s].ranges.get(&atom).copied()
    }
}
