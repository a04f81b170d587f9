//! Bit vectors: every operation as the machine has it.

use super::{Encoder, Value};
use crate::smt::{Sort, Term};
use crate::text::{Op, Type};

impl Encoder<'_> {
    pub(super) fn bits(&mut self, value: i128, width: u32) -> Term {
        let value = value.rem_euclid(1 << width);
        self.terms.app(&format!("(_ bv{value} {width})"), &[], Sort::Bits(width))
    }

    pub(super) fn bits_op(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Value {
        let Type::Int { width, signed } = ty else { return self.anything(ty) };
        let term = self.bit_op(op, width, signed, a.term, b.term);
        let (low, high) = ty.limits();
        Value { term, low, high }
    }

    /// `op` of vectors of one width. Shift counts are taken modulo the width.
    pub(super) fn bit_op(&mut self, op: Op, width: u32, signed: bool, a: Term, b: Term) -> Term {
        let sort = Sort::Bits(width);
        let count = match op {
            Op::Shl | Op::Shr => {
                let mask = self.bits((width - 1).into(), width);
                self.terms.app("bvand", &[b, mask], sort)
            }
            _ => b,
        };
        let head = match (op, signed) {
            (Op::Add, _) => "bvadd",
            (Op::Sub, _) => "bvsub",
            (Op::Mul, _) => "bvmul",
            (Op::Div, false) => "bvudiv",
            (Op::Div, true) => "bvsdiv",
            (Op::Rem, false) => "bvurem",
            (Op::Rem, true) => "bvsrem",
            (Op::And, _) => "bvand",
            (Op::Or, _) => "bvor",
            (Op::Shl, _) => "bvshl",
            (Op::Shr, false) => "bvlshr",
            (Op::Shr, true) => "bvashr",
            _ => "bvxor",
        };
        self.terms.app(head, &[a, count], sort)
    }

    /// A vector as one of another width; the value stays where it fits.
    pub(super) fn resized(&mut self, a: Value, from: Type, to: Type) -> Value {
        let (Type::Int { width: old, signed }, Type::Int { width: new, .. }) = (from, to) else {
            return self.anything(to);
        };
        let head = match old.cmp(&new) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(format!("(_ extract {} 0)", new - 1)),
            std::cmp::Ordering::Less if signed => Some(format!("(_ sign_extend {})", new - old)),
            std::cmp::Ordering::Less => Some(format!("(_ zero_extend {})", new - old)),
        };
        let term = head.map_or(a.term, |head| self.terms.app(&head, &[a.term], Sort::Bits(new)));
        let (low, high) = to.limits();
        Value { term, low, high }
    }
}
