//! When two threads of a block have waited for one another between two places in their text, as a formula over the rounds
//! and conditions of both.

use crate::encode::{Encoder, FIRST, Instance, SECOND};
use crate::eval::Known;
use crate::expr::{Counter, Exprs, Id};
use crate::smt::Term;

/// A formula over two instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Order {
    Never,
    Always,
    /// What depends on rounds that are not looked at: no proof and no disproof.
    Maybe,
    /// A condition has this value for the instance.
    When(Id, bool, Instance),
    Agree(Counter),
    /// This instance's counter is less than the other's.
    Less(Counter, Instance),
    /// It is less by more than a step.
    Beyond(Counter, Id, Instance),
    All(Vec<Order>),
    Any(Vec<Order>),
}

/// The other of two instances.
pub(crate) fn other(instance: Instance) -> Instance {
    if instance == FIRST { SECOND } else { FIRST }
}

impl Order {
    pub(crate) fn any(list: impl IntoIterator<Item = Order>) -> Order {
        let mut kept: Vec<Order> = Vec::new();
        for order in list {
            match order {
                Order::Always => return Order::Always,
                Order::Never => {}
                order if kept.contains(&order) => {}
                order => kept.push(order),
            }
        }
        match kept.len() {
            0 => Order::Never,
            1 => kept.remove(0),
            _ => Order::Any(kept),
        }
    }

    pub(crate) fn all(list: impl IntoIterator<Item = Order>) -> Order {
        let mut kept: Vec<Order> = Vec::new();
        for order in list {
            match order {
                Order::Never => return Order::Never,
                Order::Always => {}
                order if kept.contains(&order) => {}
                order => kept.push(order),
            }
        }
        match kept.len() {
            0 => Order::Always,
            1 => kept.remove(0),
            _ => Order::All(kept),
        }
    }

    /// The same, of conditions that this instance sees.
    pub(crate) fn seen_by(&self, instance: Instance) -> Order {
        match self {
            Order::When(cond, value, _) => Order::When(*cond, *value, instance),
            Order::All(list) => Order::All(list.iter().map(|o| o.seen_by(instance)).collect()),
            Order::Any(list) => Order::Any(list.iter().map(|o| o.seen_by(instance)).collect()),
            other => other.clone(),
        }
    }

    /// What is left of it where nothing is known of a counter.
    pub(crate) fn outside(&self, exprs: &Exprs, counter: Counter) -> Order {
        match self {
            Order::When(cond, ..) if exprs.leaves(*cond).counters.contains(&counter) => Order::Maybe,
            Order::All(list) => Order::all(list.iter().map(|o| o.outside(exprs, counter))),
            Order::Any(list) => Order::any(list.iter().map(|o| o.outside(exprs, counter))),
            other => other.clone(),
        }
    }

    /// The formula as a question. What may be is not.
    pub(crate) fn term(&self, encoder: &mut Encoder<'_>) -> Term {
        match self {
            Order::Never | Order::Maybe => encoder.terms.bool(false),
            Order::Always => encoder.terms.bool(true),
            Order::When(cond, value, instance) => encoder.holds(*cond, *value, *instance),
            Order::Agree(c) => encoder.agree(*c, FIRST, SECOND),
            Order::Less(c, instance) => {
                let (a, b) = (encoder.counter(*c, *instance), encoder.counter(*c, other(*instance)));
                encoder.less(crate::text::U32, a, b)
            }
            Order::Beyond(c, step, instance) => {
                let (a, b) = (encoder.counter(*c, *instance), encoder.counter(*c, other(*instance)));
                let step = encoder.value(*step, *instance);
                let next = encoder.plus(a, step);
                encoder.less(crate::text::U32, next, b)
            }
            Order::All(list) => {
                let list: Vec<Term> = list.iter().map(|o| o.term(encoder)).collect();
                encoder.terms.and(&list)
            }
            Order::Any(list) => {
                let list: Vec<Term> = list.iter().map(|o| o.term(encoder)).collect();
                encoder.terms.or(&list)
            }
        }
    }

    /// Whether it holds of two instances; `None` where that depends on what is not known.
    pub(crate) fn holds(&self, exprs: &Exprs, first: &Known, second: &Known) -> Option<bool> {
        let of = |instance| if instance == FIRST { first } else { second };
        let at = |c: &Counter, instance| of(instance).counters.get(c).copied();
        match self {
            Order::Never => Some(false),
            Order::Always => Some(true),
            Order::Maybe => None,
            Order::When(cond, value, instance) => Some((of(*instance).value(exprs, *cond)? != 0) == *value),
            Order::Agree(c) => Some(at(c, FIRST)? == at(c, SECOND)?),
            Order::Less(c, instance) => Some(at(c, *instance)? < at(c, other(*instance))?),
            Order::Beyond(c, step, instance) => {
                let step = of(*instance).value(exprs, *step)?;
                Some(at(c, *instance)? + step < at(c, other(*instance))?)
            }
            Order::All(list) => {
                let each: Vec<_> = list.iter().map(|o| o.holds(exprs, first, second)).collect();
                if each.contains(&Some(false)) {
                    Some(false)
                } else {
                    each.into_iter().collect::<Option<Vec<_>>>().map(|_| true)
                }
            }
            Order::Any(list) => {
                let each: Vec<_> = list.iter().map(|o| o.holds(exprs, first, second)).collect();
                if each.contains(&Some(true)) {
                    Some(true)
                } else {
                    each.into_iter().collect::<Option<Vec<_>>>().map(|_| false)
                }
            }
        }
    }
}
