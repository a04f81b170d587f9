//! What is known of a polynomial modulo a number, whatever its atoms are.

use super::poly::{Atom, Mono, Poly, Polys, gcd};

/// The number of low bits that are zero, where `of` gives that number for a monomial.
pub fn zeros(p: &Poly, mut of: impl FnMut(Mono) -> u32) -> u32 {
    p.terms().iter().fold(p.rest().trailing_zeros(), |z, &(m, c)| z.min(c.trailing_zeros().saturating_add(of(m))))
}

/// R5. Whether the value is never a multiple of `m`. Where `m` divides `2^w`, that holds for words of `w` bits too.
pub fn is_never_multiple(p: &Poly, m: i128) -> bool {
    // Whatever the atoms are, the terms make up multiples of this.
    let step = p.terms().iter().fold(m, |g, t| gcd(g, i128::from(t.1).abs()));
    p.rest().rem_euclid(step) != 0
}

/// R5, with a case for each residue that the atom `split` may have: all must agree. `None` where the numbers grow too
/// large. What is substituted must be one value, the same wherever it stands in `p`.
pub fn is_never_multiple_by_cases(polys: &mut Polys, p: &Poly, m: i128, split: Mono) -> Option<bool> {
    let value = polys.id(Poly::of(split));
    let turns = polys.mono(Atom::Quotient(value, m));
    for case in 0..m {
        let is = Poly::of(turns).times(m)?.offset(case);
        let p = substitute(polys, p, split, &is)?;
        if !is_never_multiple(&p, m) {
            return Some(false);
        }
    }
    Some(true)
}

/// `p` with `by` in the place of an atom, inside quotients too.
fn substitute(polys: &mut Polys, p: &Poly, atom: Mono, by: &Poly) -> Option<Poly> {
    let mut sum = Poly::constant(p.rest());
    for &(m, c) in p.terms() {
        let mut product = Poly::constant(1);
        for factor in polys.factors(m) {
            let new = match polys.atom(factor) {
                _ if factor == atom => by.clone(),
                Some(Atom::Quotient(inside, d)) => {
                    let inside = polys.get(inside).clone();
                    let new = substitute(polys, &inside, atom, by)?;
                    polys.quotient(&new, d, &mut |_, _| UNBOUNDED)?
                }
                _ => Poly::of(factor),
            };
            product = polys.product(&product, &new)?;
        }
        sum = sum.combine(1, &product, c.into())?;
    }
    Some(sum)
}

/// Nothing is known of the values but their residues.
const UNBOUNDED: crate::program::Range = crate::program::Range { lo: -(1 << 100), hi: 1 << 100 };
