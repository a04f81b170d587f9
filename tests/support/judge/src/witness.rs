//! Who writes an element: an instance is guessed from the element, and then it is asked whether it does. A wrong guess proves
//! nothing, so a guess may be made in any way; here the index is read as a number in mixed radix, whose digits are counters.

use std::collections::HashMap;

use crate::encode::{Encoder, FIRST, Instance, Value};
use crate::expr::{Counter, Id, Node};
use crate::linear::{Part, linear};
use crate::site::{Extent, Site};
use crate::smt::Term;
use crate::text::Op;

/// A site that may write an element, and which of its counters are those of the reader.
#[derive(Debug, Clone)]
pub(crate) struct Writer<'p> {
    pub(crate) site: &'p Site,
    /// The same as the reader's.
    pub(crate) shared: Vec<Counter>,
    /// The round before the reader's.
    pub(crate) earlier: Option<Counter>,
}

impl Writer<'_> {
    /// The counters that are to be found.
    pub(crate) fn own(&self) -> Vec<Counter> {
        self.site.counters().filter(|c| !self.shared.contains(c) && self.earlier != Some(*c)).collect()
    }

    /// Gives the counters that the reader has.
    pub(crate) fn give_shared(&self, encoder: &mut Encoder<'_>, instance: Instance) {
        for &c in &self.shared {
            let value = encoder.counter(c, FIRST);
            encoder.give(c, instance, value);
        }
        if let Some(c) = self.earlier {
            let now = encoder.counter(c, FIRST);
            let step = match encoder.program.counters[c.0].extent {
                Extent::Steps { step, .. } => encoder.value(step, FIRST),
                _ => encoder.constant(1, crate::text::U32),
            };
            let before = encoder.minus(now, step);
            encoder.give(c, instance, before);
        }
    }
}

/// A counter, or a half of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digit {
    Whole(Counter),
    Quotient(Counter, Id),
    Remainder(Counter, Id),
}

/// How an atom is a digit of one of these counters.
pub(crate) fn digit(encoder: &Encoder<'_>, own: &[Counter], atom: Id) -> Option<Digit> {
    let exprs = &encoder.program.exprs;
    let counter = |id: Id| match *exprs.node(id) {
        Node::Counter(c) if own.contains(&c) => Some(c),
        _ => None,
    };
    if let Some(c) = counter(atom) {
        return Some(Digit::Whole(c));
    }
    let Node::Bin(op, a, b) = *exprs.node(atom) else { return None };
    let (c, fixed) = (counter(a)?, exprs.leaves(b).counters.iter().all(|c| !own.contains(c)));
    match op {
        Op::Div if fixed => Some(Digit::Quotient(c, b)),
        Op::Rem if fixed => Some(Digit::Remainder(c, b)),
        _ => None,
    }
}

/// That the guessed instance writes the element; `None` where nothing can be guessed.
pub(crate) fn hit(encoder: &mut Encoder<'_>, writer: &Writer<'_>, element: Value) -> Option<Term> {
    let (own, instance) = (writer.own(), encoder.instance());
    writer.give_shared(encoder, instance);
    let sum = linear(&encoder.program.exprs, writer.site.index);
    let mut rest = encoder.constant(sum.constant, crate::text::U32);
    rest = encoder.minus(element, rest);
    let (digits, known): (Vec<Part>, Vec<Part>) = sum.parts.into_iter().partition(|p| {
        let leaves = encoder.program.exprs.leaves(p.atom);
        leaves.counters.iter().any(|c| own.contains(c))
    });
    for part in known {
        let value = encoder.value(part.atom, instance);
        let value = scaled(encoder, value, &part);
        rest = encoder.minus(rest, value);
    }
    place(encoder, &own, digits, rest, instance)?;
    for &c in &own {
        guess(encoder, writer, &own, c, instance);
    }
    let all = [encoder.path(writer.site, instance), encoder.reaches(writer.site.index, instance, element)];
    Some(encoder.terms.and(&all))
}

/// A value times the coefficient and factor of a part.
pub(crate) fn scaled(encoder: &mut Encoder<'_>, value: Value, part: &Part) -> Value {
    let k = encoder.constant(part.coefficient, crate::text::U32);
    let value = encoder.times(value, k);
    match part.factor {
        Some(f) => {
            let f = encoder.value(f, FIRST);
            encoder.times(value, f)
        }
        None => value,
    }
}

/// Reads `rest` as a number with these digits, largest strides first, and gives the counters. What is left over.
pub(crate) fn place(
    encoder: &mut Encoder<'_>,
    own: &[Counter],
    mut parts: Vec<Part>,
    mut rest: Value,
    instance: Instance,
) -> Option<Value> {
    parts.sort_by_key(|p| (p.factor.is_none(), -p.coefficient.abs()));
    let mut digits = Vec::new();
    for part in parts {
        let digit = digit(encoder, own, part.atom)?;
        let (from, backwards) = (origin(encoder, digit, part.coefficient < 0)?, part.coefficient < 0);
        let offset = scaled(encoder, from.at, &part);
        rest = encoder.minus(rest, offset);
        let stride = Part { coefficient: part.coefficient.abs(), ..part };
        let stride = scaled(encoder, from.step, &stride);
        digits.push((digit, from, stride, backwards));
    }
    let mut halves: HashMap<Counter, Halves> = HashMap::new();
    for (digit, from, stride, backwards) in digits {
        let quotient = encoder.over(rest, stride);
        let taken = encoder.times(quotient, stride);
        rest = encoder.minus(rest, taken);
        let moved = encoder.times(quotient, from.step);
        match digit {
            Digit::Whole(c) => {
                let value = if backwards { encoder.minus(from.at, moved) } else { encoder.plus(from.at, moved) };
                encoder.give(c, instance, value);
            }
            Digit::Quotient(c, by) => halves.entry(c).or_default().high = Some((quotient, by)),
            Digit::Remainder(c, _) => halves.entry(c).or_default().low = Some(quotient),
        }
    }
    let mut halves: Vec<_> = halves.into_iter().collect();
    halves.sort_by_key(|(c, _)| *c);
    for (counter, half) in halves {
        let zero = encoder.constant(0, crate::text::U32);
        let mut value = half.low.unwrap_or(zero);
        if let Some((high, by)) = half.high {
            let by = encoder.value(by, instance);
            let high = encoder.times(high, by);
            value = encoder.plus(value, high);
        }
        encoder.give(counter, instance, value);
    }
    Some(rest)
}

#[derive(Default)]
struct Halves {
    high: Option<(Value, Id)>,
    low: Option<Value>,
}

/// Where a digit begins to count, and by how much.
struct Origin {
    at: Value,
    step: Value,
}

fn origin(encoder: &mut Encoder<'_>, digit: Digit, backwards: bool) -> Option<Origin> {
    let (zero, one) = (encoder.constant(0, crate::text::U32), encoder.constant(1, crate::text::U32));
    let Digit::Whole(c) = digit else {
        return (!backwards).then_some(Origin { at: zero, step: one });
    };
    match encoder.program.counters[c.0].extent {
        Extent::Below(n) if backwards => {
            let n = encoder.value(n, FIRST);
            Some(Origin { at: encoder.minus(n, one), step: one })
        }
        Extent::Below(_) | Extent::Open if !backwards => Some(Origin { at: zero, step: one }),
        Extent::Steps { start, step, .. } if !backwards => {
            Some(Origin { at: encoder.value(start, FIRST), step: encoder.value(step, FIRST) })
        }
        _ => None,
    }
}

/// Counters that the index does not have: what a condition asks of them, or their first value.
fn guess(encoder: &mut Encoder<'_>, writer: &Writer<'_>, own: &[Counter], c: Counter, instance: Instance) {
    if encoder.is_given(c, instance) {
        return;
    }
    let exprs = &encoder.program.exprs;
    let asked = writer.site.when.iter().find_map(|&(cond, holds)| match *exprs.node(cond) {
        Node::Bin(Op::Eq, a, b) if holds && *exprs.node(a) == Node::Counter(c) => Some(b),
        _ => None,
    });
    let asked = asked.filter(|&b| exprs.leaves(b).counters.iter().all(|c| !own.contains(c)));
    let value = match (asked, &encoder.program.counters[c.0].extent) {
        (Some(b), _) => encoder.value(b, instance),
        (None, Extent::Steps { start, .. }) => encoder.value(*start, instance),
        _ => encoder.constant(0, crate::text::U32),
    };
    encoder.give(c, instance, value);
}
