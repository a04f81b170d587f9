//! Expressions as sums over the integers, where no operation wraps: `u32` arithmetic in, forms out.

use super::{Atom, Form, Prover, ScopeId};
use crate::program::{BinOp, Expr, ExprId, Range, ScalarType};

impl Prover<'_> {
    /// The value of an integer expression as a sum. What may wrap, or changes while one looks, is an atom.
    pub(in crate::passes::bounds) fn form(&mut self, s: ScopeId, e: ExprId) -> Form {
        if let Some(f) = self.forms.get(&(s, e)) {
            return f.clone();
        }
        if let Some(f) = self.passing.get(&(self.nesting, s, e)) {
            return f.clone();
        }
        let opaque = Form::atom(Atom::Expr(e));
        let atomic = !self.p.exprs.ty(e).is_int() || !self.traits.steady(e) || self.budget.given_up();
        if atomic || !self.open.insert((s, e)) {
            return opaque;
        }
        self.budget.spend(1);
        let form = self.sum(s, e).unwrap_or(opaque);
        self.open.remove(&(s, e));
        if self.budget.given_up() {
            return form;
        }
        if self.nesting == 0 {
            self.forms.insert((s, e), form.clone());
        } else {
            self.passing.insert((self.nesting, s, e), form.clone());
        }
        form
    }

    fn sum(&mut self, s: ScopeId, e: ExprId) -> Option<Form> {
        let ty = self.p.exprs.ty(e);
        let sum = match self.p.exprs.expr(e) {
            Expr::Const(c) => return Some(Form::constant(c.int())),
            Expr::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let (a, b) = (self.form(s, a), self.form(s, b));
                a.combine(1, &b, if op == BinOp::Add { 1 } else { -1 })?
            }
            Expr::Bin(op, a, b) => {
                let k = self.p.exprs.as_const(b)?.int();
                return self.sum_with(s, e, op, a, k);
            }
            Expr::Cast(a) if self.p.exprs.ty(a).is_int() => self.form(s, a),
            _ => return None,
        };
        self.fits(s, &sum, ty).then_some(sum)
    }

    /// Operations with a constant on the right.
    fn sum_with(&mut self, s: ScopeId, e: ExprId, op: BinOp, a: ExprId, k: i128) -> Option<Form> {
        let ty = self.p.exprs.ty(e);
        let bits = i128::from(ty.bits());
        let natural = self.p.exprs.range(a).lo >= 0;
        let x = Form::constant(0);
        match op {
            BinOp::Mul | BinOp::Shl => {
                let k = if op == BinOp::Mul { k } else { (0..bits).contains(&k).then(|| 1 << k)? };
                let sum = x.combine(1, &self.form(s, a), k)?;
                self.fits(s, &sum, ty).then_some(sum)
            }
            BinOp::Div if natural && k > 0 => Some(Form::atom(Atom::Quot(a, k))),
            BinOp::Shr if natural && (0..bits).contains(&k) => Some(Form::atom(Atom::Quot(a, 1 << k))),
            BinOp::Rem if natural && k > 0 => self.form(s, a).combine(1, &Form::atom(Atom::Quot(a, k)), -k),
            BinOp::And if natural && k > 0 && (k + 1) & k == 0 => {
                self.form(s, a).combine(1, &Form::atom(Atom::Quot(a, k + 1)), -k - 1)
            }
            // The high bits: what is left of `a` without its rest.
            BinOp::And if ty.is_unsigned() && ty.bits() <= 32 => {
                let rest = Range::full(ty).hi - k;
                ((rest + 1) & rest == 0).then(|| x.combine(1, &Form::atom(Atom::Quot(a, rest + 1)), rest + 1))?
            }
            _ => None,
        }
    }

    /// Whether the sum cannot leave the type's values: then it is what the wrapping operations give.
    fn fits(&mut self, s: ScopeId, sum: &Form, ty: ScalarType) -> bool {
        let (full, r) = (Range::full(ty), self.range(s, sum));
        let above = r.lo >= full.lo || self.side_question(s, sum.plus(-full.lo));
        above
            && (r.hi <= full.hi
                || Form::constant(full.hi).combine(1, sum, -1).is_some_and(|f| self.side_question(s, f)))
    }
}
