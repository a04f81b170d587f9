//! Polynomials with exact integer coefficients: what an index is when none of its operations wraps.
//!
//! [`Polys`] holds the atoms and gives handles to polynomials, so that equal ones have equal handles. Knows no program:
//! an expression is a number here, and `lower` says what it is made of.

use crate::program::{ExprId, Range};
use crate::tables::HashMap;

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
        let mut i = 0;
        while i < self.terms.len() {
            if self.terms[i].0.0 == m.0 {
                return self.terms[i].1.into();
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
        let (c, f) = (self.coefficient(m), fact.coefficient(m));
        if c == 0 || f == 0 || c.signum() != f.signum() {
            return None;
        }
        let g = gcd(c.abs(), f.abs());
        let times = f.abs() / g;
        // A whole number is not negative where `times` of it are above `-times`.
        Some(self.combine(times, fact, -(c.abs() / g))?.offset(times - 1).rounded())
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
        let g = self.terms.iter().fold(0, |g, t| gcd(g, i128::from(t.1).abs()));
        if g > 1 {
            self.terms.iter_mut().for_each(|t| t.1 /= g as i64);
            self.constant = self.constant.div_euclid(g);
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

/// The atoms of a program's polynomials, and handles of polynomials.
#[derive(Debug, Default)]
pub struct Polys {
    atoms: Vec<Atom>,
    atom_ids: HashMap<Atom, Mono>,
    products: Vec<Box<[Mono]>>,
    product_ids: HashMap<Box<[Mono]>, Mono>,
    polys: Vec<Poly>,
    ids: HashMap<Poly, PolyId>,
}

impl Polys {
    /// The handle of a polynomial.
    pub fn id(&mut self, p: Poly) -> PolyId {
        if let Some(&id) = self.ids.get(&p) {
            return id;
        }
        let id = PolyId(self.polys.len() as u32);
        self.polys.push(p.clone());
        self.ids.insert(p, id);
        id
    }

    /// The polynomial of a handle.
    pub fn get(&self, id: PolyId) -> &Poly {
        &self.polys[id.0 as usize]
    }

    /// An atom as a monomial.
    pub fn mono(&mut self, atom: Atom) -> Mono {
        if let Atom::Value(e, Side::Shared) = atom {
            return Mono::value(e);
        }
        let next = Mono(ATOM | self.atoms.len() as u32);
        let atoms = &mut self.atoms;
        *self.atom_ids.entry(atom).or_insert_with(|| {
            atoms.push(atom);
            next
        })
    }

    /// The atom that a monomial is; `None` where it is a product of several.
    pub fn atom(&self, m: Mono) -> Option<Atom> {
        match m.0 {
            PRODUCT.. => None,
            ATOM.. => Some(self.atoms[(m.0 - ATOM) as usize]),
            e => Some(Atom::Value(ExprId(e), Side::Shared)),
        }
    }

    /// The factors of a monomial.
    pub fn factors(&self, m: Mono) -> Vec<Mono> {
        if m.0 >= PRODUCT { self.products[(m.0 - PRODUCT) as usize].to_vec() } else { vec![m] }
    }

    /// The product of two monomials, where it has not too many atoms.
    fn joined(&mut self, a: Mono, b: Mono) -> Option<Mono> {
        let mut all = self.factors(a);
        all.extend(self.factors(b));
        if all.len() > MAX_DEGREE {
            return None;
        }
        all.sort_unstable();
        let next = Mono(PRODUCT | self.products.len() as u32);
        let (key, products) = (all.into_boxed_slice(), &mut self.products);
        Some(*self.product_ids.entry(key.clone()).or_insert_with(|| {
            products.push(key);
            next
        }))
    }

    /// Product.
    pub fn product(&mut self, a: &Poly, b: &Poly) -> Option<Poly> {
        let mut sum = a.times(b.constant)?;
        for &(m, c) in &b.terms {
            sum = sum.combine(1, &Poly::of(m), a.constant.checked_mul(c.into())?)?;
            for &(n, d) in &a.terms {
                let both = self.joined(m, n)?;
                sum = sum.combine(1, &Poly::of(both), i128::from(c) * i128::from(d))?;
            }
        }
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    /// The sum of what the atom `y` is multiplied by in `p`.
    pub fn coefficient(&mut self, p: &Poly, y: Mono) -> Option<Poly> {
        let mut q = Poly::default();
        for &(m, c) in &p.terms {
            let mut factors = self.factors(m);
            let Some(at) = factors.iter().position(|&f| f == y) else { continue };
            factors.remove(at);
            let rest = match factors[..] {
                [] => Poly::constant(1),
                [one] => Poly::of(one),
                [one, two] => Poly::of(self.joined(one, two)?),
                _ => return None,
            };
            q = q.combine(1, &rest, c.into())?;
        }
        Some(q)
    }

    /// The `q` of `p = y * q - k` for a `k` of at least 1; `None` where a term is no multiple of the atom `y`.
    pub fn divide(&mut self, p: &Poly, y: Mono) -> Option<Poly> {
        let whole = p.terms.iter().all(|&(m, _)| self.factors(m).contains(&y));
        (whole && p.constant < 0).then(|| self.coefficient(p, y)).flatten()
    }

    /// `p / d` rounded down, for `d > 0`; `range` says what monomials lie in. In normal form: multiples of the divisor
    /// are taken out, common factors divided, quotients of quotients joined; a number where the bounds leave only one.
    pub fn quotient(&mut self, p: &Poly, d: i128, range: &mut dyn FnMut(&Polys, Mono) -> Range) -> Option<Poly> {
        let mut outside = Poly::constant(p.constant.div_euclid(d));
        let mut inside = Poly::constant(p.constant.rem_euclid(d));
        for &(m, c) in &p.terms {
            let (part, c) = (Poly::of(m), i128::from(c));
            if c % d == 0 {
                outside = outside.combine(1, &part, c / d)?;
            } else {
                inside = inside.combine(1, &part, c)?;
            }
        }
        let g = inside.terms.iter().fold(d, |g, t| gcd(g, i128::from(t.1).abs()));
        inside.terms.iter_mut().for_each(|t| t.1 /= g as i64);
        let (inside, d) = (Poly { constant: inside.constant.div_euclid(g), ..inside }, d / g);
        if let Some((joined, both)) = self.nested(&inside, d) {
            return outside.plus(&self.quotient(&joined, both, range)?);
        }
        let r = inside.range(|m| range(self, m));
        if r.lo.div_euclid(d) == r.hi.div_euclid(d) {
            return Some(outside.offset(r.lo.div_euclid(d)));
        }
        let id = self.id(inside);
        let m = self.mono(Atom::Quotient(id, d));
        outside.plus(&Poly::of(m))
    }

    /// `(x / c + k) / d` is `(x + k * c) / (c * d)`.
    fn nested(&self, p: &Poly, d: i128) -> Option<(Poly, i128)> {
        let (m, 1, k) = p.single()? else { return None };
        let Some(Atom::Quotient(x, c)) = self.atom(m) else { return None };
        let x = self.get(x);
        let constant = large(x.constant + k.checked_mul(c)?)?;
        Some((Poly { constant, ..x.clone() }, large(c.checked_mul(d)?)?))
    }

    /// The expressions that a monomial is made of.
    pub fn exprs(&self, m: Mono, found: &mut Vec<ExprId>) {
        for m in self.factors(m) {
            match self.atom(m) {
                Some(Atom::Value(e, _)) => found.push(e),
                Some(Atom::Quotient(p, _)) => self.get(p).monos().for_each(|m| self.exprs(m, found)),
                None => {}
            }
        }
    }
}
