//! Sums over the integers: what an index is when none of its operations wraps. `u32` expressions come in
//! (`prove.rs` shows that they do not wrap), inequalities `form >= 0` go out.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::program::{ExprId, Range};

/// Coefficients and constants stay below this, so that sums of a few hundred terms fit in `i128`.
const LIMIT: i128 = 1 << 50;

/// What a form is a sum of.
#[derive(Debug, Clone, Copy)]
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

    /// The atom as one number, which is compared faster. A divisor is at most 2^64.
    fn key(self) -> u128 {
        match self {
            Atom::Expr(e) => e.0.into(),
            Atom::Quot(e, c) => 1 << 127 | u128::from(e.0) << 80 | c as u128,
        }
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Atom) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Atom {}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Atom) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Atom {
    fn cmp(&self, other: &Atom) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for Atom {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.key().hash(to);
    }
}

/// A constant and multiples of atoms.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Form {
    /// In order of the atoms, each once; no coefficient is zero.
    terms: Vec<(Atom, i128)>,
    constant: i128,
}

impl Form {
    pub(super) fn constant(c: i128) -> Form {
        Form { terms: Vec::new(), constant: c }
    }

    pub(super) fn atom(a: Atom) -> Form {
        Form { terms: vec![(a, 1)], constant: 0 }
    }

    /// `self * m + other * k`; `None` where the numbers grow too large.
    pub(super) fn combine(&self, m: i128, other: &Form, k: i128) -> Option<Form> {
        let (m, k) = (small(m)?, small(k)?);
        // Both factors of each product are at most 2^64, so nothing overflows before it is tested.
        let constant = large(self.constant * m + other.constant * k)?;
        let (a, b) = (&self.terms[..], &other.terms[..]);
        let mut terms = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        // The innermost loop of all proofs, and it runs without optimisation: no iterators.
        while i < a.len() || j < b.len() {
            let left = i < a.len() && (j == b.len() || a[i].0.key() <= b[j].0.key());
            let right = j < b.len() && (i == a.len() || b[j].0.key() <= a[i].0.key());
            let (mut atom, mut c) = (Atom::Expr(ExprId(0)), 0);
            if left {
                atom = a[i].0;
                c += a[i].1 * m;
                i += 1;
            }
            if right {
                atom = b[j].0;
                c += b[j].1 * k;
                j += 1;
            }
            if c != 0 {
                terms.push((atom, small(c)?));
            }
        }
        Some(Form { terms, constant })
    }

    /// The form with a distance added.
    pub(super) fn plus(&self, d: i128) -> Form {
        Form { terms: self.terms.clone(), constant: self.constant + d }
    }

    /// The coefficient of an atom.
    pub(super) fn coefficient(&self, a: Atom) -> i128 {
        let (key, mut i) = (a.key(), 0);
        while i < self.terms.len() {
            if self.terms[i].0.key() == key {
                return self.terms[i].1;
            }
            i += 1;
        }
        0
    }

    pub(super) fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.terms.iter().map(|t| t.0)
    }

    /// The value, where there is no atom.
    pub(super) fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The atom and its coefficient where there is one only, and the constant.
    pub(super) fn single(&self) -> Option<(Atom, i128, i128)> {
        match self.terms[..] {
            [(a, c)] => Some((a, c, self.constant)),
            _ => None,
        }
    }

    /// What the values lie in, given what the atoms' do.
    pub(super) fn range(&self, mut of: impl FnMut(Atom) -> Range) -> Range {
        let mut sum = Range::new(self.constant, self.constant);
        for &(atom, c) in &self.terms {
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
        let g = self.terms.iter().fold(0, |g, t| gcd(g, t.1.abs()));
        if g > 1 {
            self.terms.iter_mut().for_each(|t| t.1 /= g);
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

fn small(v: i128) -> Option<i128> {
    (v.abs() <= LIMIT).then_some(v)
}

fn large(v: i128) -> Option<i128> {
    (v.abs() <= 1 << 64).then_some(v)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
