//! Polynomials with exact integer coefficients: what an index is when none of its operations wraps.
//!
//! [`Polys`] holds the atoms and gives handles to polynomials, so that equal ones have equal handles. Knows no program:
//! an expression is a number here, and `lower` says what it is made of.

mod polys;

use crate::program::{ExprId, Range};
pub use polys::Polys;

/// Coefficients stay below this, so that sums of a few hundred terms fit in `i128`.
const MAX_COEFFICIENT: i128 = 1 << 50;
/// Constants stay below this.
const MAX_CONSTANT: i128 = 1 << 64;
/// Terms of a product of two polynomials.
const MAX_TERMS: usize = 12;
/// Atoms in one monomial.
const MAX_DEGREE: usize = 3;

/// Which of two instances an expression is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// One value for both.
    Shared,
    /// The first instance's own value.
    First,
    /// The second instance's own value.
    Second,
}

/// What a polynomial is made of: a value that is not a sum or a product of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Atom {
    /// The value of an expression.
    Value(ExprId, Side),
    /// A polynomial divided by a positive constant, rounded down.
    Quotient(PolyId, i128),
}

/// Handle of a polynomial: equal handles are equal polynomials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PolyId(u32);

/// A product of 1 to 3 atoms. A handle: values of expressions that are shared come first, in the order of the
/// expressions; then other atoms; then products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mono(u32);

/// Set in the handle of an atom that has a row in [`Polys::atoms`].
const ATOM: u32 = 1 << 30;
/// Set in the handle of a product of several atoms.
const PRODUCT: u32 = 1 << 31;

impl Mono {
    /// The shared value of an expression.
    pub fn value(e: ExprId) -> Mono {
        debug_assert!(e.0 < ATOM);
        Mono(e.0)
    }

    /// The expression whose shared value this is.
    pub fn as_value(self) -> Option<ExprId> {
        (self.0 < ATOM).then_some(ExprId(self.0))
    }
}

/// A constant and multiples of monomials.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Poly {
    /// In the order of the monomials, each once; no coefficient is zero.
    terms: Vec<(Mono, i64)>,
    constant: i128,
}

impl Poly {
    /// A number.
    pub fn constant(c: i128) -> Poly {
        Poly { terms: Vec::new(), constant: c }
    }

    /// A monomial.
    pub fn of(m: Mono) -> Poly {
        Poly { terms: vec![(m, 1)], constant: 0 }
    }

    /// `self * m + other * k`; `None` where the numbers grow too large.
    pub fn combine(&self, m: i128, other: &Poly, k: i128) -> Option<Poly> {
        let (m, k) = (small(m)?, small(k)?);
        let constant = large(self.constant * i128::from(m) + other.constant * i128::from(k))?;
        let (a, b) = (&self.terms[..], &other.terms[..]);
        let mut terms = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        // The innermost loop of all proofs, and it runs without optimisation: no iterators.
        while i < a.len() || j < b.len() {
            let left = i < a.len() && (j == b.len() || a[i].0.0 <= b[j].0.0);
            let right = j < b.len() && (i == a.len() || b[j].0.0 <= a[i].0.0);
            let (mut mono, mut x, mut y) = (Mono(0), 0, 0);
            if left {
                (mono, x) = a[i];
                i += 1;
            }
            if right {
                (mono, y) = b[j];
                j += 1;
            }
            let c = scaled_sum(x, m, y, k)?;
            if c != 0 {
                terms.push((mono, c));
            }
        }
        Some(Poly { terms, constant })
    }

    /// Sum.
    pub fn plus(&self, other: &Poly) -> Option<Poly> {
        self.combine(1, other, 1)
    }

    /// Difference.
    pub fn minus(&self, other: &Poly) -> Option<Poly> {
        self.combine(1, other, -1)
    }

    /// Product with a number.
    pub fn times(&self, k: i128) -> Option<Poly> {
        self.combine(k, &Poly::default(), 1)
    }

    /// The polynomial with a number added.
    pub fn offset(&self, d: i128) -> Poly {
        Poly { terms: self.terms.clone(), constant: self.constant + d }
    }

    /// The terms, in order.
    pub fn terms(&self) -> &[(Mono, i64)] {
        &self.terms
    }

    /// What is added to the terms.
    pub fn rest(&self) -> i128 {
        self.constant
    }

    /// The coefficient of a monomial.
    pub fn coefficient(&self, m: Mono) -> i128 {
        self.whole_coefficient(m).into()
    }

    fn whole_coefficient(&self, m: Mono) -> i64 {
        let terms = &self.terms[..];
        let mut i = 0;
        while i < terms.len() && terms[i].0.0 <= m.0 {
            if terms[i].0.0 == m.0 {
                return terms[i].1;
            }
            i += 1;
        }
        0
    }

    /// The monomials, in order.
    pub fn monos(&self) -> impl Iterator<Item = Mono> + '_ {
        self.terms.iter().map(|t| t.0)
    }

    /// The value, where there is no monomial.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The monomial and its coefficient where there is one only, and the constant.
    pub fn single(&self) -> Option<(Mono, i128, i128)> {
        match self.terms[..] {
            [(m, c)] => Some((m, c.into(), self.constant)),
            _ => None,
        }
    }

    /// What the values lie in, given what the monomials' do.
    pub fn range(&self, mut of: impl FnMut(Mono) -> Range) -> Range {
        let (mut lo, mut hi) = (self.constant, self.constant);
        let mut i = 0;
        while i < self.terms.len() {
            let (mono, c) = self.terms[i];
            let (r, c) = (of(mono), i128::from(c));
            let (x, y) = (r.lo.saturating_mul(c), r.hi.saturating_mul(c));
            lo = lo.saturating_add(x.min(y));
            hi = hi.saturating_add(x.max(y));
            i += 1;
        }
        Range::new(lo, hi)
    }

    /// R10. Adds a multiple of `fact` (which is `>= 0`) to a multiple of this such that `m` vanishes and "the result is
    /// `>= 0`" implies "this is `>= 0`". `None` where the signs do not allow it.
    pub fn eliminate(&self, m: Mono, fact: &Poly) -> Option<Poly> {
        // Most facts do not speak of it.
        let f = fact.whole_coefficient(m);
        let c = if f == 0 { 0 } else { self.whole_coefficient(m) };
        if c == 0 || f == 0 || (c < 0) != (f < 0) {
            return None;
        }
        let g = gcd_of_words(c.unsigned_abs(), f.unsigned_abs()) as i64;
        let times = i128::from(f.abs() / g);
        let mut sum = self.combine(times, fact, -i128::from(c.abs() / g))?;
        // A whole number is not negative where `times` of it are above `-times`.
        sum.constant += times - 1;
        Some(sum.rounded())
    }

    /// R10. What follows from two facts (each is `>= 0`) when `m` is taken out; `None` where the signs do not allow it.
    pub fn follow(&self, m: Mono, fact: &Poly) -> Option<Poly> {
        let (c, f) = (self.coefficient(m), fact.coefficient(m));
        if c == 0 || f == 0 || c.signum() == f.signum() {
            return None;
        }
        let g = gcd(c.abs(), f.abs());
        self.combine(f.abs() / g, fact, c.abs() / g).map(Poly::rounded)
    }

    /// `g * x + k >= 0` for whole x exactly where `x + floor(k / g) >= 0`.
    fn rounded(mut self) -> Poly {
        let (terms, mut g) = (&mut self.terms[..], 0);
        let mut i = 0;
        while i < terms.len() && g != 1 {
            g = gcd_of_words(g, terms[i].1.unsigned_abs());
            i += 1;
        }
        if g > 1 {
            terms.iter_mut().for_each(|t| t.1 /= g as i64);
            self.constant = self.constant.div_euclid(g.into());
        }
        self
    }

    /// The polynomial with `by` in the place of a monomial.
    pub fn replace(&self, m: Mono, by: &Poly) -> Option<Poly> {
        let c = self.coefficient(m);
        self.combine(1, &Poly::of(m), -c)?.combine(1, by, c)
    }
}

/// `a * m + b * k`.
fn scaled_sum(a: i64, m: i64, b: i64, k: i64) -> Option<i64> {
    let fast = a.checked_mul(m).zip(b.checked_mul(k)).and_then(|(x, y)| x.checked_add(y));
    match fast {
        Some(sum) => small(sum.into()),
        None => small(i128::from(a) * i128::from(m) + i128::from(b) * i128::from(k)),
    }
}

fn small(v: i128) -> Option<i64> {
    (v.abs() <= MAX_COEFFICIENT).then_some(v as i64)
}

fn large(v: i128) -> Option<i128> {
    (v.abs() <= MAX_CONSTANT).then_some(v)
}

/// The greatest common divisor of two natural numbers.
pub(in crate::passes) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The same of coefficients.
fn gcd_of_words(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
