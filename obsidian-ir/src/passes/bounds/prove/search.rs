//! The search itself, the known inequalities that it has, and searches on the way to another.

use std::collections::{BTreeMap, VecDeque};

use super::{Prover, ScopeId};
use crate::passes::index::{Mono, Poly};
use crate::tables::HashSet;

/// Steps of a search on the way to another (that a sum does not wrap).
pub(super) const SIDE_STEPS: usize = 150;
/// Side questions inside one another.
const NESTING: usize = 3;
/// Where so many steps are spent, long searches are not repeated.
const FEW_LEFT: u64 = 500_000;
/// Known inequalities of one search.
const FACTS: usize = 120;

impl Prover<'_> {
    /// Each step removes an atom with the help of a fact. What has few terms after few steps is looked at first.
    pub(super) fn search(&mut self, s: ScopeId, form: &Poly, facts: &[Poly], steps: usize) -> bool {
        let mut seen = HashSet::from_iter([form.clone()]);
        let mut waiting: BTreeMap<(usize, usize), (Poly, usize)> = BTreeMap::from([((0, 0), (form.clone(), 0))]);
        while let Some((_, (f, depth))) = waiting.pop_first() {
            if self.range(s, &f).lo >= 0 {
                return true;
            }
            for atom in f.monos() {
                self.budget.spend(facts.len());
                if self.budget.given_up() {
                    return false;
                }
                for fact in facts {
                    let Some(next) = f.eliminate(atom, fact) else { continue };
                    if seen.len() < steps && seen.insert(next.clone()) {
                        waiting.insert((depth + 1 + next.terms().len(), seen.len()), (next, depth + 1));
                    }
                }
            }
        }
        false
    }

    /// The scope's facts that matter to the form, what the structure of all atoms says, and multiples of these.
    pub(super) fn known(&mut self, s: ScopeId, form: &Poly) -> Vec<Poly> {
        let mut facts = self.relevant(s, form);
        let mut seen: HashSet<Mono> = HashSet::default();
        let mut products: Vec<Mono> = Vec::new();
        let mut todo: VecDeque<Mono> = form.monos().chain(facts.iter().flat_map(Poly::monos)).collect();
        while let Some(atom) = todo.pop_front() {
            if facts.len() >= FACTS || self.budget.given_up() {
                return facts;
            }
            if !seen.insert(atom) {
                continue;
            }
            if self.polys.atom(atom).is_none() {
                todo.extend(self.polys.factors(atom));
                products.push(atom);
                continue;
            }
            self.budget.spend(facts.len());
            for f in self.structure(s, atom) {
                todo.extend(f.monos());
                if !facts.contains(&f) {
                    facts.push(f);
                }
            }
        }
        // Of what is known by now: what these say of others would have no end.
        let single = facts.len();
        for product in products {
            self.budget.spend(single);
            for f in self.multiplied(s, product, &facts[..single]) {
                if facts.len() < FACTS && !facts.contains(&f) {
                    facts.push(f);
                }
            }
        }
        facts
    }

    /// A proof on the way to another.
    pub(in super::super) fn side_question(&mut self, s: ScopeId, form: Poly) -> bool {
        if self.range(s, &form).lo >= 0 {
            return true;
        }
        if self.nesting >= NESTING || self.budget.given_up() {
            return false;
        }
        let question = (s, form);
        if self.proved.contains(&question) {
            return true;
        }
        let (level, (s, form)) = (self.nesting, &question);
        let s = *s;
        if self.failed.contains(&question) || self.failing.contains(&(level, s, form.clone())) {
            return false;
        }
        self.nesting += 1;
        let yes = self.nearby(s, form) || !self.failed_around(s, form) && self.found_on_the_way(s, form);
        self.nesting -= 1;
        if self.nesting == 0 {
            self.passing.clear();
            self.failing.clear();
        }
        match (yes, level) {
            (true, _) => self.proved.insert(question),
            _ if self.budget.given_up() => false,
            (false, 0) => self.failed.insert(question),
            (false, _) => self.failing.insert((level, s, question.1)),
        };
        yes
    }

    /// Whether a long search has found none where less is known, and steps are getting few: what is known here besides is most often near, if it
    /// matters.
    fn failed_around(&self, s: ScopeId, form: &Poly) -> bool {
        if self.budget.spent() < FEW_LEFT {
            return false;
        }
        // Where not all launch checks are known, what these say of a product may be missing, which is never near.
        let around = std::iter::successors(self.parent(s), |&s| self.parent(s)).take_while(|&s| s >= self.launched);
        around.into_iter().any(|s| self.failed.contains(&(s, form.clone())))
    }

    fn found_on_the_way(&mut self, s: ScopeId, form: &Poly) -> bool {
        let facts = self.known(s, form);
        let found = self.search(s, form, &facts, SIDE_STEPS);
        found
            || self.nesting == 1
                && self.choices(form, &facts).into_iter().any(|atom| {
                    self.sides(s, atom).is_some_and(|sides| {
                        sides.into_iter().all(|(value, given)| self.prove_side(s, form, atom, &value, given, 0))
                    })
                })
    }
}
