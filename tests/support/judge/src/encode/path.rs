//! What holds of an instance of a site, and of two of them.

use super::{Encoder, Instance, LAUNCH, Value};
use crate::expr::{Counter, Id, Node};
use crate::order::Relation;
use crate::site::{Extent, Site};
use crate::smt::Term;
use crate::text::{Op, U32};

impl Encoder<'_> {
    /// What the runtime has checked before the launch.
    pub(crate) fn checks(&mut self) -> Vec<Term> {
        let program = self.program;
        program.checks.iter().map(|&c| self.value(c, LAUNCH).term).collect()
    }

    /// That there is this instance of a site: its counters are in their extents, its conditions hold.
    pub(crate) fn path(&mut self, site: &Site, instance: Instance) -> Term {
        let counters: Vec<Counter> = site.counters().collect();
        self.happens(&counters, &site.when, instance)
    }

    /// That counters are in their extents and conditions hold.
    pub(crate) fn happens(&mut self, counters: &[Counter], when: &[(Id, bool)], instance: Instance) -> Term {
        let mut all: Vec<Term> = counters.iter().map(|&c| self.in_extent(c, instance)).collect();
        all.extend(when.iter().map(|&(cond, holds)| self.holds(cond, holds, instance)));
        self.terms.and(&all)
    }

    pub(crate) fn holds(&mut self, cond: Id, holds: bool, instance: Instance) -> Term {
        let term = self.value(cond, instance).term;
        if holds { term } else { self.terms.not(term) }
    }

    fn in_extent(&mut self, counter: Counter, instance: Instance) -> Term {
        let at = self.counter(counter, instance);
        let zero = self.constant(0, U32);
        let mut all = Vec::new();
        // A witness may be any number.
        if at.low < 0 {
            let below = self.less(U32, at, zero);
            all.push(self.terms.not(below));
        }
        match self.program.counters[counter.0].extent.clone() {
            Extent::Below(n) => {
                let n = self.value(n, instance);
                all.push(self.less(U32, at, n));
            }
            Extent::Steps { start, end, step } => {
                let [start, end, step] = [start, end, step].map(|x| self.value(x, instance));
                let early = self.less(U32, at, start);
                all.push(self.terms.not(early));
                all.push(self.less(U32, at, end));
                if self.counts_residues(counter) {
                    let rest = self.binary(Op::Rem, U32, at, step);
                    all.push(self.terms.equal(rest.term, start.term));
                } else if (step.low, step.high) != (1, 1) {
                    // Not reduced: where it is asked, `at` is not below `start`.
                    let apart = self.difference(at, start);
                    let rest = self.binary(Op::Rem, U32, apart, step);
                    all.push(self.terms.equal(rest.term, zero.term));
                }
            }
            Extent::Open => {}
        }
        self.terms.and(&all)
    }

    /// Whether a loop begins at a counter that is below its step: that counter is then what is left of the round.
    fn counts_residues(&self, counter: Counter) -> bool {
        let program = self.program;
        let Extent::Steps { start, step, .. } = program.counters[counter.0].extent else { return false };
        match *program.exprs.node(start) {
            Node::Counter(c) => program.counters[c.0].extent == Extent::Below(step),
            _ => false,
        }
    }

    /// `a - b` where it is known not to be below zero.
    fn difference(&mut self, a: Value, b: Value) -> Value {
        self.arithmetic(Op::Sub, U32, a, b)
    }

    /// A relation between two instances.
    pub(crate) fn relation(&mut self, relation: &Relation, first: Instance, second: Instance) -> Term {
        match relation {
            Relation::Never => self.terms.bool(false),
            Relation::Always => self.terms.bool(true),
            Relation::Agree(c) => self.agree(*c, first, second),
            Relation::Differ(c) => {
                let same = self.agree(*c, first, second);
                self.terms.not(same)
            }
            Relation::Less(c) => {
                let (a, b) = (self.counter(*c, first), self.counter(*c, second));
                self.less(U32, a, b)
            }
            Relation::All(ab) => {
                let both = [self.relation(&ab.0, first, second), self.relation(&ab.1, first, second)];
                self.terms.and(&both)
            }
            Relation::Any(ab) => {
                let either = [self.relation(&ab.0, first, second), self.relation(&ab.1, first, second)];
                self.terms.or(&either)
            }
        }
    }

    pub(crate) fn agree(&mut self, counter: Counter, first: Instance, second: Instance) -> Term {
        let (a, b) = (self.counter(counter, first), self.counter(counter, second));
        self.terms.equal(a.term, b.term)
    }
}
