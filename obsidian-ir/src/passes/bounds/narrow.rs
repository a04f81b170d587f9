//! What an expression lies in at a place: the ranges of its nodes, narrowed by what the place knows of single values.
//! An index that a condition bounds keeps its bound through `%`, `&`, shifts and products, where a sum would lose it.

use super::prove::{Prover, ScopeId};
use crate::passes::index::{Mono, Poly};
use crate::program::{Expr, ExprId, Range, ranges};
use crate::tables::HashMap;

/// The depth to which an expression is looked into.
const MAX_DEPTH: u32 = 256;

impl Prover<'_> {
    /// The range of `e` in scope `s`.
    pub(super) fn narrowed(&mut self, s: ScopeId, e: ExprId) -> Range {
        self.narrow((s, MAX_DEPTH), e, &mut HashMap::default())
    }

    /// The range of `e`, whose polynomial is `form`: by its nodes, since as a sum `i % n` has lost what its own node knows;
    /// by its atoms; and by the facts that bound the whole sum.
    pub(super) fn range_of_factor(&mut self, s: ScopeId, e: ExprId, form: &Poly) -> Range {
        let (nodes, atoms) = (self.narrowed(s, e), self.range(s, form));
        let (mut lo, mut hi) = (nodes.lo.max(atoms.lo), nodes.hi.min(atoms.hi));
        let facts = self.facts(s);
        self.budget.spend(facts.len());
        for fact in facts.iter() {
            let above = fact.plus(form).and_then(|k| k.as_constant());
            let below = fact.minus(form).and_then(|k| k.as_constant());
            hi = above.map_or(hi, |k| hi.min(k));
            lo = below.map_or(lo, |k| lo.max(-k));
        }
        Range::new(lo, hi)
    }

    fn narrow(&mut self, (s, depth): (ScopeId, u32), e: ExprId, seen: &mut HashMap<ExprId, Range>) -> Range {
        if let Some(&known) = seen.get(&e) {
            return known;
        }
        let exprs = &self.p.exprs;
        let (everywhere, ty) = (exprs.range(e), exprs.ty(e));
        let here = self.known_range(s, Mono::value(e)).and_then(|r| r.both(everywhere)).unwrap_or(everywhere);
        if depth == 0 || !ty.is_int() || self.budget.given_up() {
            return here;
        }
        self.budget.spend(1);
        let inside = (s, depth - 1);
        let made = match exprs.expr(e) {
            Expr::Bin(op, a, b) if exprs.ty(a).is_int() => {
                let (x, y) = (self.narrow(inside, a, seen), self.narrow(inside, b, seen));
                Some(ranges::of(op, ty, x, y))
            }
            Expr::Cast(a) if exprs.ty(a).is_int() => {
                let r = self.narrow(inside, a, seen);
                r.within(Range::full(ty)).then_some(r)
            }
            _ => None,
        };
        // Facts that contradict one another are those of a place that nobody reaches.
        let narrowed = made.and_then(|r| r.both(here)).unwrap_or(here);
        seen.insert(e, narrowed);
        narrowed
    }
}
