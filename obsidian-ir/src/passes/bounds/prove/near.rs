//! R10 among few facts: those about the goal's atoms, and about the atoms in these. Most goals need no others, and a scope may know too
//! many to look at them all.

use super::{Prover, ScopeId};
use crate::passes::index::{Mono, Poly};
use crate::tables::HashSet;

/// How far facts are followed from the goal's atoms.
const NEAR: usize = 3;
/// Steps of a search among these.
const NEAR_STEPS: usize = 40;

impl Prover<'_> {
    /// Whether `form >= 0` follows from what is said of its atoms, and of those in what is said of them. A "no" says nothing.
    pub(super) fn nearby(&mut self, s: ScopeId, form: &Poly) -> bool {
        let scope = self.facts(s);
        let (mut facts, mut seen): (Vec<Poly>, HashSet<Mono>) = (Vec::new(), HashSet::default());
        let mut near: Vec<Mono> = form.monos().collect();
        for round in 0..NEAR {
            let (mut next, before) = (Vec::new(), facts.len());
            for atom in near {
                if self.polys.atom(atom).is_none() || !seen.insert(atom) {
                    continue;
                }
                let said = scope.iter().filter(|f| f.coefficient(atom) != 0).cloned().chain(self.structure(s, atom));
                for fact in said.collect::<Vec<_>>() {
                    let plain = fact.monos().all(|m| self.polys.atom(m).is_some());
                    if plain && !facts.contains(&fact) {
                        next.extend(fact.monos());
                        facts.push(fact);
                    }
                }
            }
            near = next;
            // A round that brings no fact would search as the one before.
            if round > 0 && facts.len() == before {
                return false;
            }
            if self.search(s, form, &facts, NEAR_STEPS) {
                return true;
            }
        }
        false
    }
}
