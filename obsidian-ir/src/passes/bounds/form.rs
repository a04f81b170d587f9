//! Sums over the integers: what an index is when none of its operations wraps. `u32` expressions come in
//! (`prove.rs` shows that they do not wrap), inequalities `form >= 0` go out.

use std::collections::BTreeMap;

use crate::program::{ExprId, Range};

/// Coefficients and constants stay below this, so that sums of a few hundred terms fit in `i128`.
const LIMIT: i128 = 1 << 50;

/// What a form is a sum of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    /// The value of an expression that is not a sum.
    Expr(ExprId),
    /// The value of a non-negative expression, divided by a positive constant and rounded down.
    Quot(ExprId, i128),
}

impl Atom {
    /// The expression that the atom speaks of.
    pub(super) fn expr(self) -> ExprId {
        match self {
            Atom::Expr(e) | Atom::Quot(e, _) => e,
        }
    }
}

/// A constant and multiples of atoms; no coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Form {
    terms: BTreeMap<Atom, i128>,
    constant: i128,
}

impl Form {
    pub(super) fn constant(c: i128) -> Form {
        Form { terms: BTreeMap::new(), constant: c }
    }

    pub(super) fn atom(a: Atom) -> Form {
        Form { terms: BTreeMap::from([(a, 1)]), constant: 0 }
    }

    /// `self * m + other * k`; `None` where the numbers grow too large.
    pub(super) fn combine(&self, m: i128, other: &Form, k: i128) -> Option<Form> {
        let small = |v: i128| (v.abs() <= LIMIT).then_some(v);
        let (m, k) = (small(m)?, small(k)?);
        // Both factors of each product are at most 2^64, so nothing overflows before it is tested.
        let mut sum = Form::constant(large(self.constant * m + other.constant * k)?);
        for (form, factor) in [(self, m), (other, k)] {
            for (&atom, &c) in &form.terms {
                *sum.terms.entry(atom).or_insert(0) += c * factor;
            }
        }
        sum.terms.retain(|_, c| *c != 0);
        sum.terms.values().all(|&c| small(c).is_some()).then_some(sum)
    }

    /// The form with a distance added.
    pub(super) fn plus(&self, d: i128) -> Form {
        Form { terms: self.terms.clone(), constant: self.constant + d }
    }

    /// The coefficient of an atom.
    pub(super) fn coefficient(&self, a: Atom) -> i128 {
        self.terms.get(&a).copied().unwrap_or(0)
    }

    pub(super) fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.terms.keys().copied()
    }

    /// The value, where there is no atom.
    pub(super) fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The atom and its coefficient where there is one only, and the constant.
    pub(super) fn single(&self) -> Option<(Atom, i128, i128)> {
        let mut all = self.terms.iter();
        match (all.next(), all.next()) {
            (Some((&a, &c)), None) => Some((a, c, self.constant)),
            _ => None,
        }
    }

    /// What the values lie in, given what the atoms' do.
    pub(super) fn range(&self, mut of: impl FnMut(Atom) -> Range) -> Range {
        let mut sum = Range::new(self.constant, self.constant);
        for (&atom, &c) in &self.terms {
            let r = of(atom);
            let (x, y) = (r.lo * c, r.hi * c);
            sum = Range::new(sum.lo + x.min(y), sum.hi + x.max(y));
        }
        sum
    }

    /// Adds a multiple of `fact` (which is `>= 0`) to a multiple of this such that `atom` vanishes and "the result is
    /// `>= 0`" implies "this is `>= 0`". `None` where the signs do not allow it.
    pub(super) fn eliminate(&self, atom: Atom, fact: &Form) -> Option<Form> {
        let (c, f) = (self.coefficient(atom), fact.coefficient(atom));
        if c == 0 || f == 0 || c.signum() != f.signum() {
            return None;
        }
        let g = gcd(c.abs(), f.abs());
        self.combine(f.abs() / g, fact, -(c.abs() / g)).map(Form::reduced)
    }

    /// What follows from two facts (each is `>= 0`) when `atom` is taken out; `None` where the signs do not allow it.
    pub(super) fn follow(&self, atom: Atom, fact: &Form) -> Option<Form> {
        let (c, f) = (self.coefficient(atom), fact.coefficient(atom));
        if c == 0 || f == 0 || c.signum() == f.signum() {
            return None;
        }
        let g = gcd(c.abs(), f.abs());
        self.combine(f.abs() / g, fact, c.abs() / g).map(Form::reduced)
    }

    /// `g * x + k >= 0` for whole x exactly where `x + floor(k / g) >= 0`.
    fn reduced(mut self) -> Form {
        let g = self.terms.values().fold(0, |g, c| gcd(g, c.abs()));
        if g > 1 {
            self.terms.values_mut().for_each(|c| *c /= g);
            self.constant = self.constant.div_euclid(g);
        }
        self
    }

    /// The form with `by` in the place of an atom.
    pub(super) fn replace(&self, atom: Atom, by: &Form) -> Option<Form> {
        let c = self.coefficient(atom);
        self.combine(1, &Form::atom(atom), -c)?.combine(1, by, c)
    }
}

fn large(v: i128) -> Option<i128> {
    (v.abs() <= 1 << 64).then_some(v)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
