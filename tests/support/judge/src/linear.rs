//! Indices as sums: a number, and atoms times coefficients. It holds modulo 2^32, as only operations are taken apart that do.

use std::collections::BTreeMap;

use crate::expr::{Exprs, Id, Node};
use crate::text::{Op, U32};

/// `atom * coefficient`, perhaps times a value of the launch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Part {
    pub(crate) coefficient: i128,
    pub(crate) factor: Option<Id>,
    pub(crate) atom: Id,
}

/// A sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    pub(crate) constant: i128,
    pub(crate) parts: Vec<Part>,
}

/// Takes an index of 32 bits apart. Coefficients are as near to zero as they can be.
pub(crate) fn linear(exprs: &Exprs, id: Id) -> Linear {
    let mut found = Found { exprs, constant: 0, parts: BTreeMap::new() };
    found.add(id, 1, None);
    let near = |n: i128| (n + (1 << 31)).rem_euclid(1 << 32) - (1 << 31);
    let parts = found.parts.into_iter().map(|((factor, atom), k)| Part { coefficient: near(k), factor, atom });
    Linear { constant: near(found.constant), parts: parts.filter(|p| p.coefficient != 0).collect() }
}

struct Found<'e> {
    exprs: &'e Exprs,
    constant: i128,
    parts: BTreeMap<(Option<Id>, Id), i128>,
}

impl Found<'_> {
    fn add(&mut self, id: Id, times: i128, factor: Option<Id>) {
        let word = self.exprs.ty(id) == U32;
        match *self.exprs.node(id) {
            Node::Int(n) if factor.is_none() => self.constant += n * times,
            Node::Neg(a) if word => self.add(a, -times, factor),
            Node::Bin(Op::Add, a, b) if word => {
                self.add(a, times, factor);
                self.add(b, times, factor);
            }
            Node::Bin(Op::Sub, a, b) if word => {
                self.add(a, times, factor);
                self.add(b, -times, factor);
            }
            Node::Bin(Op::Mul, a, b) if word => self.product(id, a, b, times, factor),
            Node::Bin(Op::Shl, a, b) if word => match self.exprs.int(b) {
                Some(k) => self.add(a, times << k.rem_euclid(32), factor),
                None => self.atom(id, times, factor),
            },
            _ => self.atom(id, times, factor),
        }
        // Coefficients are only needed modulo 2^32.
        self.constant = self.constant.rem_euclid(1 << 32);
    }

    fn product(&mut self, id: Id, a: Id, b: Id, times: i128, factor: Option<Id>) {
        let of_launch = |x: Id| self.exprs.leaves(x).counters.is_empty() && !self.exprs.leaves(x).unknown;
        match (self.exprs.int(a), self.exprs.int(b)) {
            (_, Some(k)) => self.add(a, (times * k).rem_euclid(1 << 32), factor),
            (Some(k), _) => self.add(b, (times * k).rem_euclid(1 << 32), factor),
            _ if factor.is_some() => self.atom(id, times, factor),
            _ if of_launch(b) && !of_launch(a) => self.add(a, times, Some(b)),
            _ if of_launch(a) && !of_launch(b) => self.add(b, times, Some(a)),
            _ => self.atom(id, times, None),
        }
    }

    fn atom(&mut self, atom: Id, times: i128, factor: Option<Id>) {
        let sum = self.parts.entry((factor, atom)).or_insert(0);
        *sum = (*sum + times).rem_euclid(1 << 32);
    }
}
