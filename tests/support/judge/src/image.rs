//! Who writes an element, by counting: counters whose ends are numbers are run through, and the elements that their part of the
//! index reaches are noted as intervals; the other counters are digits of what is left.

use std::collections::HashMap;

use crate::encode::{Encoder, Value};
use crate::expr::{Counter, Id};
use crate::linear::{Part, linear};
use crate::site::Program;
use crate::smt::Term;
use crate::table::{self, Table, intervals};
use crate::witness::{Writer, place, scaled};

/// More intervals say too little for what they cost.
const MAX_INTERVALS: usize = 400;

/// Sites that differ only in the part that is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Group {
    shared: Vec<Counter>,
    earlier: Option<Counter>,
    /// Counters that are digits.
    free: Vec<Counter>,
    parts: Vec<Part>,
    /// Conditions that do not ask for what is counted.
    when: Vec<(Id, bool)>,
}

/// The images of the sites of a question, without the element that is asked for.
pub(crate) struct Images<'w, 'p> {
    groups: Vec<Image<'w, 'p>>,
}

/// A group, one of its sites, and the numbers that its counted part reaches.
type Image<'w, 'p> = (Group, &'w Writer<'p>, Vec<(i128, i128)>);

impl<'w, 'p> Images<'w, 'p> {
    pub(crate) fn of(program: &'p Program, writers: &'w [Writer<'p>]) -> Images<'w, 'p> {
        let mut tables: HashMap<Vec<Counter>, Option<Table<'p>>> = HashMap::new();
        let mut order: Vec<(Group, &'w Writer<'p>)> = Vec::new();
        let mut reached: HashMap<Group, Vec<i128>> = HashMap::new();
        for writer in writers {
            let Some((group, numbers)) = image(program, writer, &mut tables) else { continue };
            if !reached.contains_key(&group) {
                order.push((group.clone(), writer));
            }
            reached.entry(group).or_default().extend(numbers);
        }
        let found = order.into_iter().map(|(group, writer)| {
            let intervals = intervals(reached.remove(&group).unwrap_or_default());
            (group, writer, intervals)
        });
        Images { groups: found.filter(|(_, _, i)| !i.is_empty() && i.len() <= MAX_INTERVALS).collect() }
    }

    /// That an element is in one of the images, each by itself.
    pub(crate) fn hits(&self, encoder: &mut Encoder<'_>, element: Value) -> Vec<Term> {
        self.groups.iter().filter_map(|group| member(encoder, group, element)).collect()
    }
}

fn member(encoder: &mut Encoder<'_>, (group, writer, intervals): &Image<'_, '_>, element: Value) -> Option<Term> {
    let instance = encoder.instance();
    writer.give_shared(encoder, instance);
    let (digits, known): (Vec<Part>, Vec<Part>) = group.parts.iter().cloned().partition(|p| {
        let leaves = encoder.program.exprs.leaves(p.atom);
        leaves.counters.iter().any(|c| group.free.contains(c))
    });
    let mut rest = element;
    for part in known {
        let value = encoder.value(part.atom, instance);
        let value = scaled(encoder, value, &part);
        rest = encoder.minus(rest, value);
    }
    // Digits count from the least element that is reached.
    let least = encoder.constant(intervals[0].0, crate::text::U32);
    rest = encoder.minus(rest, least);
    rest = place(encoder, &group.free, digits, rest, instance)?;
    rest = encoder.plus(rest, least);
    if group.free.iter().any(|&c| !encoder.is_given(c, instance)) {
        return None;
    }
    let counters: Vec<Counter> = group.free.iter().chain(&writer.earlier).copied().collect();
    let all = [encoder.member(rest, intervals), encoder.happens(&counters, &group.when, instance)];
    Some(encoder.terms.and(&all))
}

/// A site as its group and the numbers that its counted part reaches.
fn image<'p>(
    program: &'p Program,
    writer: &Writer<'p>,
    tables: &mut HashMap<Vec<Counter>, Option<Table<'p>>>,
) -> Option<(Group, Vec<i128>)> {
    let exprs = &program.exprs;
    let (counted, free): (Vec<Counter>, Vec<Counter>) =
        writer.own().into_iter().partition(|&c| table::values(program, c).is_some());
    let asks = |id: Id, of: &[Counter]| exprs.leaves(id).counters.iter().any(|c| of.contains(c));
    let only_counted = |id: Id| {
        let leaves = exprs.leaves(id);
        !leaves.launch && !leaves.unknown && !leaves.element && leaves.counters.iter().all(|c| counted.contains(c))
    };
    let table = tables.entry(counted.clone()).or_insert_with(|| Table::over(program, &counted)).as_mut()?;
    let sum = linear(exprs, writer.site.index);
    let mut numbers = vec![sum.constant; table.points()];
    let mut parts = Vec::new();
    for part in sum.parts {
        if !asks(part.atom, &counted) {
            parts.push(part);
        } else if part.factor.is_none() && only_counted(part.atom) {
            let column = table.column(part.atom)?;
            numbers.iter_mut().zip(column.iter()).for_each(|(n, v)| *n += v * part.coefficient);
        } else {
            return None;
        }
    }
    let (mut when, mut chosen) = (Vec::new(), vec![true; table.points()]);
    for &(cond, holds) in &writer.site.when_element {
        if !asks(cond, &counted) {
            when.push((cond, holds));
        } else if only_counted(cond) {
            let column = table.column(cond)?;
            chosen.iter_mut().zip(column.iter()).for_each(|(c, v)| *c &= (*v != 0) == holds);
        } else {
            return None;
        }
    }
    if free.iter().any(|&c| program.extent_asks(c, &counted)) {
        return None;
    }
    let near = |n: i128| (n + (1 << 31)).rem_euclid(1 << 32) - (1 << 31);
    let numbers = numbers.into_iter().zip(chosen).filter(|(_, c)| *c).map(|(n, _)| near(n)).collect();
    let group = Group { shared: writer.shared.clone(), earlier: writer.earlier, free, parts, when };
    Some((group, numbers))
}
