//! What the operators of the language are, whichever way numbers are written.

use super::{Encoder, Instance, Mode, Value};
use crate::expr::Id;
use crate::smt::{Sort, Term};
use crate::text::{Op, Type};

impl Encoder<'_> {
    pub(super) fn complement(&mut self, a: Id, ty: Type, instance: Instance) -> Value {
        let a = self.value(a, instance);
        if ty == Type::Bool {
            return Value { term: self.terms.not(a.term), low: 0, high: 1 };
        }
        let ones = if ty.limits().0 == 0 { ty.limits().1 } else { -1 };
        let ones = self.constant(ones, ty);
        self.arithmetic(Op::Sub, ty, ones, a)
    }

    pub(crate) fn binary(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Value {
        let truth = |term| Value { term, low: 0, high: 1 };
        if ty == Type::Bool {
            let (x, y) = (a.term, b.term);
            let same = self.terms.equal(x, y);
            return truth(match op {
                Op::And => self.terms.and(&[x, y]),
                Op::Or => self.terms.or(&[x, y]),
                Op::Eq => same,
                _ => self.terms.not(same),
            });
        }
        match op {
            Op::Eq => truth(self.terms.equal(a.term, b.term)),
            Op::Ne => {
                let same = self.terms.equal(a.term, b.term);
                truth(self.terms.not(same))
            }
            Op::Lt => truth(self.less(ty, a, b)),
            Op::Gt => truth(self.less(ty, b, a)),
            Op::Le | Op::Ge => {
                let more = if op == Op::Le { self.less(ty, b, a) } else { self.less(ty, a, b) };
                truth(self.terms.not(more))
            }
            Op::Min | Op::Max => {
                let less = self.less(ty, a, b);
                let (x, y) = if op == Op::Min { (a, b) } else { (b, a) };
                let term = self.terms.choose(less, x.term, y.term);
                let pick = if op == Op::Min { i128::min } else { i128::max };
                Value { term, low: pick(a.low, b.low), high: pick(a.high, b.high) }
            }
            Op::Div | Op::Rem if b.low <= 0 && b.high >= 0 => {
                // Division by zero gives some value.
                let zero = self.constant(0, ty);
                let by_zero = self.terms.equal(b.term, zero.term);
                let (any, quotient) = (self.anything(ty), self.arithmetic(op, ty, a, b));
                let term = self.terms.choose(by_zero, any.term, quotient.term);
                Value { term, low: any.low, high: any.high }
            }
            _ => self.arithmetic(op, ty, a, b),
        }
    }

    /// `a < b`.
    pub(crate) fn less(&mut self, ty: Type, a: Value, b: Value) -> Term {
        match (self.mode, ty) {
            (Mode::Integers, _) => self.terms.app("<", &[a.term, b.term], Sort::Bool),
            (Mode::Bits, Type::Int { signed: true, .. }) => self.terms.app("bvslt", &[a.term, b.term], Sort::Bool),
            (Mode::Bits, _) => self.terms.app("bvult", &[a.term, b.term], Sort::Bool),
        }
    }

    pub(super) fn arithmetic(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Value {
        match self.mode {
            Mode::Integers => self.integer_op(op, ty, a, b),
            Mode::Bits => self.bits_op(op, ty, a, b),
        }
    }

    pub(super) fn cast(&mut self, a: Value, from: Type, to: Type) -> Value {
        if from == Type::Bool {
            let (one, zero) = (self.constant(1, to), self.constant(0, to));
            return Value { term: self.terms.choose(a.term, one.term, zero.term), low: 0, high: 1 };
        }
        match self.mode {
            Mode::Integers => self.reduced(a, to),
            Mode::Bits => self.resized(a, from, to),
        }
    }
}
