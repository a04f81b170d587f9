//! Exact integers, reduced into their types where their ranges do not exclude that they leave them.

use super::{Encoder, Value};
use crate::smt::{Sort, Term};
use crate::text::{Op, Type};

impl Encoder<'_> {
    pub(super) fn integer(&mut self, value: i128) -> Term {
        let text = if value < 0 { format!("(- {})", -value) } else { value.to_string() };
        self.terms.app(&text, &[], Sort::Int)
    }

    pub(super) fn within(&mut self, term: Term, low: i128, high: i128) -> Term {
        let (low, high) = (self.integer(low), self.integer(high));
        self.terms.app("<=", &[low, term, high], Sort::Bool)
    }

    fn int_app(&mut self, head: &str, a: Term, b: Term) -> Term {
        self.terms.app(head, &[a, b], Sort::Int)
    }

    /// A value reduced into a type.
    pub(super) fn reduced(&mut self, a: Value, ty: Type) -> Value {
        let (low, high) = ty.limits();
        if a.low >= low && a.high <= high {
            return a;
        }
        let size = high - low + 1;
        let (modulus, offset) = (self.integer(size), self.integer(-low));
        let moved = if low == 0 { a.term } else { self.int_app("+", a.term, offset) };
        // One period is a choice, which is easier than a remainder.
        let rest = if a.low >= low && a.high < high + size {
            let (beyond, less) =
                (self.terms.app(">=", &[moved, modulus], Sort::Bool), self.int_app("-", moved, modulus));
            self.terms.choose(beyond, less, moved)
        } else if a.low >= low - size && a.high <= high {
            let zero = self.integer(0);
            let (below, more) = (self.terms.app("<", &[moved, zero], Sort::Bool), self.int_app("+", moved, modulus));
            self.terms.choose(below, more, moved)
        } else {
            self.int_app("mod", moved, modulus)
        };
        let term = if low == 0 { rest } else { self.int_app("-", rest, offset) };
        Value { term, low, high }
    }

    pub(super) fn integer_op(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Value {
        let constant = (b.low == b.high).then_some(b.low);
        let width = match ty {
            Type::Int { width, .. } => width,
            _ => 64,
        };
        match (op, constant) {
            (Op::Add, _) => {
                let term = self.int_app("+", a.term, b.term);
                self.reduced(Value { term, low: a.low + b.low, high: a.high + b.high }, ty)
            }
            (Op::Sub, _) => {
                let term = self.int_app("-", a.term, b.term);
                self.reduced(Value { term, low: a.low - b.high, high: a.high - b.low }, ty)
            }
            (Op::Mul, _) => self.product(a, b, ty),
            (Op::Shl, Some(k)) => {
                let by = self.constant(1 << k.rem_euclid(width.into()), ty);
                // In a signed type the highest power is negative; modulo the width that is the same.
                self.product(a, by, ty)
            }
            (Op::Shr, Some(k)) => {
                let by = 1 << k.rem_euclid(width.into());
                let divisor = self.integer(by);
                Value {
                    term: self.int_app("div", a.term, divisor),
                    low: a.low.div_euclid(by),
                    high: a.high.div_euclid(by),
                }
            }
            (Op::Div | Op::Rem, _) => self.quotient(op, ty, a, b),
            (Op::And, Some(mask)) if mask >= 0 && mask & (mask + 1) == 0 => {
                if a.low >= 0 && a.high <= mask {
                    return a;
                }
                let modulus = self.integer(mask + 1);
                Value { term: self.int_app("mod", a.term, modulus), low: 0, high: mask }
            }
            _ => self.through_bits(op, ty, a, b),
        }
    }

    fn product(&mut self, a: Value, b: Value, ty: Type) -> Value {
        let corners =
            [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)].map(|(x, y)| x.saturating_mul(y));
        let (low, high) = corners.iter().fold((i128::MAX, i128::MIN), |(l, h), &c| (l.min(c), h.max(c)));
        let term = self.int_app("*", a.term, b.term);
        self.reduced(Value { term, low, high }, ty)
    }

    /// Towards zero, as the language has it; SMT-LIB rounds down for divisors above zero.
    fn quotient(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Value {
        if a.low < 0 || b.low < 0 {
            return self.signed_quotient(op, ty, a, b);
        }
        if op == Op::Div {
            let (low, high) = (a.low / b.high.max(1), a.high / b.low.max(1));
            return Value { term: self.int_app("div", a.term, b.term), low, high };
        }
        let term = self.int_app("mod", a.term, b.term);
        Value { term, low: 0, high: a.high.min((b.high - 1).max(0)) }
    }

    fn signed_quotient(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Value {
        let zero = self.integer(0);
        let mut size = |v: Value| {
            let negated = self.int_app("-", zero, v.term);
            let below = self.terms.app("<", &[v.term, zero], Sort::Bool);
            (below, self.terms.choose(below, negated, v.term))
        };
        let ((a_below, x), (b_below, y)) = (size(a), size(b));
        let (low, high) = ty.limits();
        let quotient = self.int_app("div", x, y);
        let flipped = self.int_app("-", zero, quotient);
        let same = self.terms.equal(a_below, b_below);
        let term = self.terms.choose(same, quotient, flipped);
        if op == Op::Div {
            return self.reduced(Value { term, low, high: high + 1 }, ty);
        }
        let back = self.int_app("*", term, b.term);
        Value { term: self.int_app("-", a.term, back), low, high }
    }

    /// Operations on bits that no division is.
    fn through_bits(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Value {
        let (low, high) = ty.limits();
        let Type::Int { width, signed } = ty else { return self.anything(ty) };
        // As few bits as the values have.
        let narrow = a.low >= 0 && b.low >= 0 && matches!(op, Op::And | Op::Or | Op::Xor);
        let needed = 128 - (a.high | b.high).max(1).leading_zeros();
        let n = if narrow { needed.min(width) } else { width };
        let sort = Sort::Bits(n);
        let head = format!("(_ int_to_bv {n})");
        let (x, y) = (self.terms.app(&head, &[a.term], sort), self.terms.app(&head, &[b.term], sort));
        let result = self.bit_op(op, n, signed && !narrow, x, y);
        let back = if signed && !narrow { "sbv_to_int" } else { "ubv_to_int" };
        let term = self.terms.app(back, &[result], Sort::Int);
        if narrow { Value { term, low: 0, high: (1 << n) - 1 } } else { Value { term, low, high } }
    }
}
