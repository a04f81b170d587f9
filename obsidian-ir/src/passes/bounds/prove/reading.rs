//! How the prover reads expressions: as integers, where the facts of a scope prove that nothing wraps. What may wrap, or
//! changes while one looks, is an atom; so is a quotient, of its dividend by name, the same in all scopes.

use super::{Prover, ScopeId};
use crate::passes::index::{Atom, Mono, Poly, PolyId, Polys, Reader, Reading, Word, is_sum, lower};
use crate::program::{BinOp, Expr, ExprId, Exprs, Range};

impl<'p> Prover<'p> {
    /// The value of an integer expression as a polynomial.
    pub(in crate::passes::bounds) fn form(&mut self, s: ScopeId, e: ExprId) -> Poly {
        let id = match self.known_form(s, e) {
            Some(id) => id,
            None => lower(&mut At { prover: self, s }, e).residue(),
        };
        self.polys.get(id).clone()
    }

    fn known_form(&self, s: ScopeId, e: ExprId) -> Option<PolyId> {
        self.forms.get(&(s, e)).or_else(|| self.passing.get(&(self.nesting, s, e))).copied()
    }

    /// The quotient of an expression's value.
    pub(in crate::passes::bounds) fn quotient(&mut self, a: ExprId, d: i128) -> Poly {
        let dividend = self.polys.id(Poly::of(Mono::value(a)));
        Poly::of(self.polys.mono(Atom::Quotient(dividend, d)))
    }

    /// The expression that an atom speaks of: its own value, or that of its dividend.
    pub(in crate::passes::bounds) fn expr_of(&self, atom: Mono) -> Option<ExprId> {
        expr_of(&self.polys, atom)
    }
}

/// See [`Prover::expr_of`].
pub(super) fn expr_of(polys: &Polys, atom: Mono) -> Option<ExprId> {
    match polys.atom(atom)? {
        Atom::Value(e, _) => Some(e),
        Atom::Quotient(p, _) => polys.get(p).single()?.0.as_value(),
    }
}

/// The prover in one scope.
struct At<'a, 'p> {
    prover: &'a mut Prover<'p>,
    s: ScopeId,
}

impl Reader for At<'_, '_> {
    fn exprs(&self) -> &Exprs {
        &self.prover.p.exprs
    }

    fn polys(&mut self) -> &mut Polys {
        &mut self.prover.polys
    }

    fn reading(&self) -> Reading {
        Reading::Integers
    }

    fn opens(&mut self, e: ExprId) -> bool {
        let p = &mut *self.prover;
        if !is_looked_into(&p.p.exprs, e) || !p.traits.steady(e) || p.budget.given_up() || !p.open.insert((self.s, e)) {
            return false;
        }
        p.budget.spend(1);
        true
    }

    fn range(&mut self, p: &Poly) -> Range {
        self.prover.range(self.s, p)
    }

    fn proves(&mut self, p: Poly) -> bool {
        self.prover.side_question(self.s, p.clone()) || self.prover.assume(self.s, &p)
    }

    fn recall(&mut self, e: ExprId) -> Option<Word> {
        let id = self.prover.known_form(self.s, e)?;
        Some(Word::of(id, self.prover.p.exprs.ty(e)))
    }

    fn note(&mut self, e: ExprId, word: Word) {
        let p = &mut *self.prover;
        p.open.remove(&(self.s, e));
        if p.budget.given_up() {
            return;
        }
        if p.nesting == 0 {
            p.forms.insert((self.s, e), word.residue());
        } else {
            p.passing.insert((p.nesting, self.s, e), word.residue());
        }
    }
}

/// Whether a polynomial says more of an expression than the facts about its atom would.
fn is_looked_into(exprs: &Exprs, e: ExprId) -> bool {
    match exprs.expr(e) {
        Expr::Cast(_) | Expr::Bin(BinOp::Mul, ..) => true,
        Expr::Bin(BinOp::Div | BinOp::Rem | BinOp::Shr, _, k) => exprs.as_const(k).is_some(),
        Expr::Bin(BinOp::And, _, k) => exprs.as_const(k).is_some_and(|k| {
            let (mask, lowest) = (k.int(), k.int() & -k.int());
            // The low bits, or all but these.
            mask > 0 && (mask & (mask + 1) == 0 || mask + lowest == 1 << k.ty.bits())
        }),
        _ => is_sum(exprs, e),
    }
}
