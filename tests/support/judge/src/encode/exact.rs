//! Arithmetic of witnesses. Integers are left as they are, so that a digit may come out below zero; bit vectors wrap.

use super::{Encoder, FIRST, Instance, Mode, Value};
use crate::smt::{Sort, Term};
use crate::text::{Op, U32};

/// What ranges are cut off at.
const MAX_BOUND: i128 = 1 << 90;

impl Encoder<'_> {
    /// `a + b` as an index.
    pub(crate) fn sum(&mut self, a: Value, b: Value) -> Value {
        self.arithmetic(Op::Add, U32, a, b)
    }

    /// The length of an array.
    pub(crate) fn len(&mut self, array: usize, instance: Instance) -> Value {
        self.value(self.program.lens[array], instance)
    }

    pub(crate) fn plus(&mut self, a: Value, b: Value) -> Value {
        self.exact("+", "bvadd", a, b, (a.low + b.low, a.high + b.high))
    }

    pub(crate) fn minus(&mut self, a: Value, b: Value) -> Value {
        self.exact("-", "bvsub", a, b, (a.low - b.high, a.high - b.low))
    }

    pub(crate) fn times(&mut self, a: Value, b: Value) -> Value {
        let corners = [a.low, a.high].map(|x| [b.low, b.high].map(|y| x.saturating_mul(y)));
        let all = corners.concat();
        let range = (all.iter().copied().min().unwrap_or(0), all.iter().copied().max().unwrap_or(0));
        self.exact("*", "bvmul", a, b, range)
    }

    /// Rounded down.
    pub(crate) fn over(&mut self, a: Value, b: Value) -> Value {
        let range = if b.low > 0 {
            let corners = [
                a.low.div_euclid(b.low),
                a.low.div_euclid(b.high),
                a.high.div_euclid(b.low),
                a.high.div_euclid(b.high),
            ];
            (corners.iter().copied().min().unwrap_or(0), corners.iter().copied().max().unwrap_or(0))
        } else {
            // Division by zero is anything; what is made of it is checked.
            (-MAX_BOUND, MAX_BOUND)
        };
        self.exact("div", "bvudiv", a, b, range)
    }

    fn exact(&mut self, int: &str, bits: &str, a: Value, b: Value, (low, high): (i128, i128)) -> Value {
        match self.mode {
            Mode::Integers => {
                // Far beyond every type, so that ranges of ranges stay numbers.
                let (low, high) = (low.max(-MAX_BOUND), high.min(MAX_BOUND));
                Value { term: self.terms.app(int, &[a.term, b.term], Sort::Int), low, high }
            }
            Mode::Bits => {
                let (low, high) = U32.limits();
                Value { term: self.terms.app(bits, &[a.term, b.term], Sort::Bits(32)), low, high }
            }
        }
    }

    /// That a number is in one of these intervals.
    pub(crate) fn member(&mut self, value: Value, intervals: &[(i128, i128)]) -> Term {
        let each: Vec<Term> = intervals
            .iter()
            .map(|&(low, high)| match self.mode {
                Mode::Integers => self.within(value.term, low, high),
                Mode::Bits => {
                    let (low, size) = (self.constant(low, U32), self.constant(high - low, U32));
                    let from = self.minus(value, low);
                    self.terms.app("bvule", &[from.term, size.term], Sort::Bool)
                }
            })
            .collect();
        self.terms.or(&each)
    }

    /// The index of an instance is this element.
    pub(crate) fn reaches(&mut self, index: crate::expr::Id, instance: Instance, element: Value) -> Term {
        let index = self.value(index, instance);
        self.terms.equal(index.term, element.term)
    }

    /// `element < len`.
    pub(crate) fn in_array(&mut self, array: usize, element: Value) -> Term {
        let len = self.len(array, FIRST);
        self.less(U32, element, len)
    }
}
