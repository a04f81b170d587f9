//! What values lie in, and the one question of all readers: may this wrap?

use super::lower::Reader;
use super::poly::{Atom, Mono, Poly, Polys};
use crate::program::{Exprs, Range, ScalarType};

/// Whether a sum may leave the values of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wraps {
    /// It is proved that it does not: the word is the sum.
    No,
    /// It may, as far as is known: the word is the sum only modulo `2^w`.
    Perhaps,
}

/// R2. Whether `sum` may lie outside of the values of `ty`. Both bounds are needed: one alone says nothing.
pub fn wraps(r: &mut dyn Reader, sum: &Poly, ty: ScalarType) -> Wraps {
    let (full, range) = (Range::full(ty), r.range(sum));
    let above = range.lo >= full.lo || r.proves(sum.offset(-full.lo));
    let below = |r: &mut dyn Reader| {
        range.hi <= full.hi || Poly::constant(full.hi).minus(sum).is_some_and(|left| r.proves(left))
    };
    if above && below(r) { Wraps::No } else { Wraps::Perhaps }
}

/// What a monomial lies in wherever it stands: by the ranges of the expressions' nodes.
pub fn everywhere(exprs: &Exprs, polys: &Polys, m: Mono) -> Range {
    if let Some(e) = m.as_value() {
        return exprs.range(e);
    }
    match polys.atom(m) {
        Some(Atom::Value(e, _)) => exprs.range(e),
        Some(Atom::Quotient(p, d)) => {
            let r = polys.get(p).range(|m| everywhere(exprs, polys, m));
            Range::new(r.lo.div_euclid(d), r.hi.div_euclid(d))
        }
        None => polys.factors(m).into_iter().fold(Range::new(1, 1), |all, m| {
            let r = everywhere(exprs, polys, m);
            let corners = [(all.lo, r.lo), (all.lo, r.hi), (all.hi, r.lo), (all.hi, r.hi)];
            let corners = corners.map(|(x, y)| x.saturating_mul(y));
            Range::new(corners.into_iter().fold(i128::MAX, i128::min), corners.into_iter().fold(i128::MIN, i128::max))
        }),
    }
}
