//! All values of an expression over counters whose ends are numbers.

use std::collections::HashMap;
use std::rc::Rc;

use crate::eval;
use crate::expr::{Counter, Id, Node};
use crate::site::{Extent, Program};
use crate::text::Type;

/// Values in a table.
const MAX_POINTS: usize = 1 << 17;

/// Every combination of the values of some counters.
pub(crate) struct Table<'p> {
    program: &'p Program,
    points: usize,
    columns: HashMap<Id, Option<Rc<Vec<i128>>>>,
    counters: HashMap<Counter, Rc<Vec<i128>>>,
}

/// The values of a counter that ends at a number.
pub(crate) fn values(program: &Program, counter: Counter) -> Option<Vec<i128>> {
    let number = |id: Id| program.exprs.int(id);
    let range = match program.counters[counter.0].extent {
        Extent::Below(n) => (0, number(n)?, 1),
        Extent::Steps { start, end, step } => (number(start)?, number(end)?, number(step)?),
        Extent::Open => return None,
    };
    let (start, end, step) = range;
    let count = (end - start).max(0) / step.max(1);
    if step < 1 || count > MAX_POINTS as i128 {
        return None;
    }
    Some((start..end).step_by(usize::try_from(step).ok()?).collect())
}

impl<'p> Table<'p> {
    /// `None` where there are too many.
    pub(crate) fn over(program: &'p Program, counters: &[Counter]) -> Option<Table<'p>> {
        let own: Vec<(Counter, Vec<i128>)> =
            counters.iter().map(|&c| Some((c, values(program, c)?))).collect::<Option<_>>()?;
        let mut points = 1usize;
        for (_, values) in &own {
            points = points.checked_mul(values.len()).filter(|&n| n <= MAX_POINTS)?;
        }
        let mut inner = 1;
        let mut columns = HashMap::new();
        for (counter, values) in own.iter().rev() {
            let column = (0..points).map(|p| values[p / inner % values.len()]).collect();
            columns.insert(*counter, Rc::new(column));
            inner *= values.len();
        }
        Some(Table { program, points, columns: HashMap::new(), counters: columns })
    }

    pub(crate) fn points(&self) -> usize {
        self.points
    }

    /// The values of an expression; `None` where it depends on anything else.
    pub(crate) fn column(&mut self, id: Id) -> Option<Rc<Vec<i128>>> {
        if let Some(known) = self.columns.get(&id) {
            return known.clone();
        }
        let column = self.make(id);
        self.columns.insert(id, column.clone());
        column
    }

    fn make(&mut self, id: Id) -> Option<Rc<Vec<i128>>> {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        let mapped = |a: Rc<Vec<i128>>, f: &dyn Fn(i128) -> i128| Some(Rc::new(a.iter().map(|&x| f(x)).collect()));
        match *exprs.node(id) {
            Node::Int(n) => Some(Rc::new(vec![n; self.points])),
            Node::Counter(c) => self.counters.get(&c).cloned(),
            Node::Neg(a) => mapped(self.column(a)?, &|x| eval::fit(-x, ty)),
            Node::Not(a) if ty == Type::Bool => mapped(self.column(a)?, &|x| 1 - x),
            Node::Not(a) => mapped(self.column(a)?, &|x| eval::fit(!x, ty)),
            Node::Cast(a) => mapped(self.column(a)?, &|x| eval::fit(x, ty)),
            Node::Select(c, a, b) => {
                let (c, a, b) = (self.column(c)?, self.column(a)?, self.column(b)?);
                Some(Rc::new((0..self.points).map(|p| if c[p] != 0 { a[p] } else { b[p] }).collect()))
            }
            Node::Bin(op, a, b) => {
                let of = exprs.ty(a);
                let (a, b) = (self.column(a)?, self.column(b)?);
                let each = a.iter().zip(b.iter()).map(|(&x, &y)| eval::binary(op, of, x, y));
                Some(Rc::new(each.collect::<Option<_>>()?))
            }
            Node::Launch(_) | Node::Input(..) | Node::Unknown(..) | Node::Opaque(..) | Node::Element => None,
        }
    }
}

/// Numbers as intervals.
pub(crate) fn intervals(mut numbers: Vec<i128>) -> Vec<(i128, i128)> {
    numbers.sort_unstable();
    numbers.dedup();
    let mut found: Vec<(i128, i128)> = Vec::new();
    for n in numbers {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => found.push((n, n)),
        }
    }
    found
}
