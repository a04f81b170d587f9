//! The value of an expression where everything it depends on is known: the meaning of the operators a third time, to hold a
//! model of the solver against, and to count through counters of known extent.

use std::collections::HashMap;
use std::rc::Rc;

use crate::expr::{Counter, Exprs, Id, Node};
use crate::text::{Op, Type};

/// What leaves stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) counters: HashMap<Counter, i128>,
    pub(crate) launch: HashMap<Rc<str>, i128>,
    /// Elements of inputs, by array and index.
    pub(crate) inputs: HashMap<(usize, i128), i128>,
}

impl Known {
    /// The value of an expression; `None` where it depends on what is not known, or divides by zero.
    pub(crate) fn value(&self, exprs: &Exprs, id: Id) -> Option<i128> {
        let ty = exprs.ty(id);
        let of = |x: Id| self.value(exprs, x);
        match exprs.node(id) {
            Node::Int(n) => Some(*n),
            Node::Counter(c) => self.counters.get(c).copied(),
            Node::Launch(name) => self.launch.get(name).copied(),
            Node::Input(array, i) => self.inputs.get(&(*array, of(*i)?)).copied(),
            Node::Neg(a) => Some(fit(-of(*a)?, ty)),
            Node::Not(a) if ty == Type::Bool => Some(1 - of(*a)?),
            Node::Not(a) => Some(fit(!of(*a)?, ty)),
            Node::Select(c, a, b) => of(if of(*c)? != 0 { *a } else { *b }),
            Node::Cast(a) => Some(fit(of(*a)?, ty)),
            Node::Bin(op, a, b) => binary(*op, exprs.ty(*a), of(*a)?, of(*b)?),
            Node::Unknown(..) | Node::Opaque(..) | Node::Element => None,
        }
    }
}

/// `a op b` of a type of integers.
pub(crate) fn binary(op: Op, ty: Type, a: i128, b: i128) -> Option<i128> {
    let width = match ty {
        Type::Int { width, .. } => i128::from(width),
        _ => 1,
    };
    Some(match op {
        Op::Add => fit(a + b, ty),
        Op::Sub => fit(a - b, ty),
        Op::Mul => fit(a.wrapping_mul(b), ty),
        Op::Div => fit(a.checked_div(b)?, ty),
        Op::Rem => fit(a.checked_rem(b)?, ty),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => fit(a << b.rem_euclid(width), ty),
        Op::Shr => a >> b.rem_euclid(width),
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Eq => (a == b).into(),
        Op::Ne => (a != b).into(),
        Op::Lt => (a < b).into(),
        Op::Le => (a <= b).into(),
        Op::Gt => (a > b).into(),
        Op::Ge => (a >= b).into(),
    })
}

/// A number reduced into a type.
pub(crate) fn fit(value: i128, ty: Type) -> i128 {
    let (low, high) = ty.limits();
    (value - low).rem_euclid(high - low + 1) + low
}
