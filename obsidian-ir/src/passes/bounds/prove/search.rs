//! The search itself, the known inequalities that it has, and searches on the way to another.

use std::collections::{BTreeMap, VecDeque};

use super::{Prover, ScopeId};
use crate::passes::index::{Mono, Poly};
use crate::tables::{HashMap, HashSet};

/// Steps of a search on the way to another (that a sum does not wrap).
pub(super) const SIDE_STEPS: usize = 150;
/// Side questions inside one another.
const NESTING: usize = 3;
/// When this many steps are spent, a long search is not repeated in the scopes inside.
const MANY_SPENT: u64 = 30_000;
/// Known inequalities of one search.
const FACTS: usize = 120;

impl Prover<'_> {
    /// Each step removes an atom with the help of a fact. What has few terms after few steps is looked at first.
    pub(super) fn search(&mut self, s: ScopeId, form: &Poly, facts: &[Poly], steps: usize) -> bool {
        let mut by_atom: HashMap<Mono, Vec<&Poly>> = HashMap::default();
        for fact in facts {
            fact.monos().for_each(|m| by_atom.entry(m).or_default().push(fact));
        }
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
                for fact in by_atom.get(&atom).into_iter().flatten() {
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
        if self.is_proved_around(s, &form) {
            return true;
        }
        let (question, level) = ((s, form), self.nesting);
        if self.failed.get(&question).is_some_and(|&least| least <= level) {
            return false;
        }
        let yes = self.nested(|p| p.nearby(s, &question.1)) || self.found_from_afar(s, &question.1);
        if yes {
            self.proved.entry(question.1).or_default().push(s);
        } else if !self.budget.given_up() {
            self.failed.insert(question, level);
        }
        yes
    }

    /// Whether a proof is known here or where less is known.
    pub(super) fn is_proved_around(&self, s: ScopeId, form: &Poly) -> bool {
        self.proved.get(form).is_some_and(|proved| self.around(s).any(|s| proved.contains(&s)))
    }

    /// A scope and those around it, as far out as all launch checks are known.
    fn around(&self, s: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(s), |&s| self.parent(s).filter(|&s| s >= self.launched))
    }

    /// By a long search. One on the way to another search, or when many steps are spent, is made once for all scopes in which the same is said
    /// of the values in question: what is known here besides is most often near, if it matters.
    fn found_from_afar(&mut self, s: ScopeId, form: &Poly) -> bool {
        if self.nesting > 0 || self.budget.spent() >= MANY_SPENT {
            let widest = self.widest(s, form);
            if widest != s {
                return self.side_question(widest, form.clone());
            }
        }
        self.nested(|p| p.found_on_the_way(s, form))
    }

    /// The widest scope around in which as much is said of a form's values as here.
    fn widest(&self, s: ScopeId, form: &Poly) -> ScopeId {
        let values = |p: &Poly| p.monos().flat_map(|m| self.polys.factors(m)).collect::<Vec<Mono>>();
        let own = values(form);
        let is_told = |fact: &Poly| values(fact).iter().any(|m| own.contains(m));
        let mut around = self.around(s).zip(self.around(s).skip(1));
        let inner = around.find(|&(inner, outer)| self.said_beside(inner, outer).iter().any(is_told));
        inner.map_or_else(|| self.around(s).last().unwrap_or(s), |(inner, _)| inner)
    }

    /// Asks on the way to another proof.
    fn nested(&mut self, ask: impl FnOnce(&mut Self) -> bool) -> bool {
        self.nesting += 1;
        let yes = ask(self);
        self.nesting -= 1;
        if self.nesting == 0 {
            self.passing.clear();
        }
        yes
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
