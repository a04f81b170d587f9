//! The atoms of a program's polynomials, and handles of these: products, quotients, and what divides a polynomial.

use super::{ATOM, Atom, MAX_DEGREE, MAX_TERMS, Mono, PRODUCT, Poly, PolyId, Side, gcd, large};
use crate::program::{ExprId, Range};
use crate::tables::HashMap;

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

    /// Whether each term of `p` is a multiple of the atom `y`.
    pub fn is_multiple(&self, p: &Poly, y: Mono) -> bool {
        p.constant == 0 && p.terms.iter().all(|&(m, _)| self.factors(m).contains(&y))
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
