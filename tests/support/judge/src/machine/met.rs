//! When a barrier is met in a statement, and between two places in the text.

use super::order::Order;
use crate::encode::{FIRST, Instance, SECOND};
use crate::expr::{Counter, Exprs, Id, Node};
use crate::site::{Extent, Kind, Program, Step};
use crate::text::{Level, Op, Type, U32};

/// When threads wait in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Met {
    /// All of the block.
    pub(crate) block: Order,
    /// At least those of a warp.
    pub(crate) warp: Order,
}

impl Default for Met {
    fn default() -> Met {
        Met { block: Order::Never, warp: Order::Never }
    }
}

impl Met {
    /// In a barrier.
    pub(crate) fn at(level: Level) -> Met {
        let block = if level == Level::Warp { Order::Never } else { Order::Always };
        Met { block, warp: Order::Always }
    }

    fn map(&self, f: impl Fn(&Order) -> Order) -> Met {
        Met { block: f(&self.block), warp: f(&self.warp) }
    }

    /// In one of these statements at least.
    pub(crate) fn any(list: &[Met]) -> Met {
        let of = |level: fn(&Met) -> &Order| Order::any(list.iter().map(|met| level(met).clone()));
        Met { block: of(|met| &met.block), warp: of(|met| &met.warp) }
    }

    pub(crate) fn or(self, other: Met) -> Met {
        Met::any(&[self, other])
    }

    /// Under a condition.
    pub(crate) fn when(&self, cond: Id, value: bool) -> Met {
        self.map(|order| Order::all([Order::When(cond, value, FIRST), order.clone()]))
    }

    /// As it is seen outside of a loop.
    pub(crate) fn outside(&self, exprs: &Exprs, counter: Counter) -> Met {
        self.map(|order| order.outside(exprs, counter))
    }

    /// In what may not happen at all.
    pub(crate) fn perhaps(&self) -> Met {
        self.map(|order| Order::all([Order::Maybe, order.clone()]))
    }

    /// In a loop, of what is met in each of its rounds.
    pub(crate) fn when_there_are_rounds(&self, exprs: &mut Exprs, extent: &Extent) -> Met {
        match *extent {
            Extent::Steps { start, end, .. } if *self != Met::default() => {
                self.when(exprs.add(Node::Bin(Op::Lt, start, end), Type::Bool), true)
            }
            Extent::Open => self.perhaps(),
            _ => self.clone(),
        }
    }
}

/// Whose barriers are asked about.
pub(crate) type Of = fn(&Met) -> &Order;

/// Two places in the text, of two threads of one block.
pub(crate) struct Between<'p> {
    pub(crate) program: &'p Program,
    pub(crate) thread: Counter,
    pub(crate) of: Of,
}

impl Between<'_> {
    /// When a barrier lies between the first instance, at one place, and the second, at the other.
    pub(crate) fn met(&self, first: &[Step], second: &[Step]) -> Order {
        let (Some(a), Some(b)) = (first.first(), second.first()) else { return Order::Never };
        match a.at.cmp(&b.at) {
            std::cmp::Ordering::Less => self.in_turn((first, FIRST), (second, SECOND)),
            std::cmp::Ordering::Greater => self.in_turn((second, SECOND), (first, FIRST)),
            std::cmp::Ordering::Equal => self.in_one(first, second),
        }
    }

    /// Places in one statement.
    fn in_one(&self, first: &[Step], second: &[Step]) -> Order {
        let (a, b) = (first[0], second[0]);
        let own = self.statement(a.list, a.at);
        let deeper = || if a.branch == b.branch { self.met(&first[1..], &second[1..]) } else { Order::Never };
        match a.kind {
            Kind::Plain => deeper(),
            // The thread's own number, or its block's.
            Kind::Share(c) if c <= self.thread => deeper(),
            _ if *own == Order::Never => Order::Never,
            Kind::Share(c) | Kind::Rounds(c) => {
                let in_one_round = match a.branch.cmp(&b.branch) {
                    std::cmp::Ordering::Equal => deeper(),
                    std::cmp::Ordering::Less => self.in_round((&first[1..], FIRST), (&second[1..], SECOND)),
                    std::cmp::Ordering::Greater => self.in_round((&second[1..], SECOND), (&first[1..], FIRST)),
                };
                let later = |early: (&[Step], Instance), late: (&[Step], Instance)| {
                    let next = self.in_round((&early.0[1..], early.1), (&late.0[1..], late.1));
                    Order::any([next, self.rounds_between(early.0, c, early.1)])
                };
                let (second_is_later, first_is_later) =
                    (later((first, FIRST), (second, SECOND)), later((second, SECOND), (first, FIRST)));
                // One of the three it is.
                if [&in_one_round, &second_is_later, &first_is_later].into_iter().all(|o| *o == Order::Always) {
                    return Order::Always;
                }
                Order::any([
                    Order::all([Order::Agree(c), in_one_round]),
                    Order::all([Order::Less(c, FIRST), second_is_later]),
                    Order::all([Order::Less(c, SECOND), first_is_later]),
                ])
            }
        }
    }

    /// After the early place or before the late one, whatever lies between.
    fn in_round(&self, early: (&[Step], Instance), late: (&[Step], Instance)) -> Order {
        Order::any([self.after(early.0, early.1), self.before(late.0, late.1)])
    }

    /// In whole rounds between two.
    fn rounds_between(&self, path: &[Step], c: Counter, early: Instance) -> Order {
        let Some(inner) = path.get(1) else { return Order::Never };
        let body = self.list(inner.list, 0..usize::MAX, early).outside(&self.program.exprs, c);
        match self.program.counters[c.0].extent {
            Extent::Steps { step, .. } => Order::all([Order::Beyond(c, step, early), body]),
            // Any two blocks' work may be one block's, and follow one another there.
            Extent::Below(_) => Order::Never,
            _ if body == Order::Never => Order::Never,
            _ => Order::Maybe,
        }
    }

    /// Statements of one list, the early one first.
    fn in_turn(&self, early: (&[Step], Instance), late: (&[Step], Instance)) -> Order {
        let (a, b) = (early.0[0], late.0[0]);
        Order::any([
            self.after(&early.0[1..], early.1),
            self.next_rounds(a, early.1),
            self.list(a.list, a.at + 1..b.at, early.1),
            self.before(&late.0[1..], late.1),
            self.earlier_rounds(b, late.1),
        ])
    }

    /// In what an instance does after a place, up to the end of the list that the path begins in.
    fn after(&self, path: &[Step], instance: Instance) -> Order {
        let Some((step, inner)) = path.split_first() else { return Order::Never };
        Order::any([
            self.after(inner, instance),
            self.next_rounds(*step, instance),
            self.list(step.list, step.at + 1..usize::MAX, instance),
        ])
    }

    /// In what an instance has done before a place, from the beginning of the list that the path begins in.
    fn before(&self, path: &[Step], instance: Instance) -> Order {
        let Some((step, inner)) = path.split_first() else { return Order::Never };
        Order::any([
            self.before(inner, instance),
            self.earlier_rounds(*step, instance),
            self.list(step.list, 0..step.at, instance),
        ])
    }

    /// In the rounds of a loop after the instance's own.
    fn next_rounds(&self, step: Step, instance: Instance) -> Order {
        self.other_rounds(step, instance, |exprs, at, [_, end, by]| {
            let left = find(exprs, Node::Bin(Op::Sub, end, at), U32)?;
            find(exprs, Node::Bin(Op::Lt, by, left), Type::Bool)
        })
    }

    /// In those before it.
    fn earlier_rounds(&self, step: Step, instance: Instance) -> Order {
        self.other_rounds(step, instance, |exprs, at, [start, ..]| {
            find(exprs, Node::Bin(Op::Lt, start, at), Type::Bool)
        })
    }

    fn other_rounds(&self, step: Step, instance: Instance, are: impl Fn(&Exprs, Id, [Id; 3]) -> Option<Id>) -> Order {
        let Kind::Rounds(c) = step.kind else { return Order::Never };
        let met = self.statement(step.list, step.at).seen_by(instance);
        if met == Order::Never {
            return Order::Never;
        }
        let exprs = &self.program.exprs;
        let cond = match self.program.counters[c.0].extent {
            Extent::Steps { start, end, step } => {
                find(exprs, Node::Counter(c), U32).and_then(|at| are(exprs, at, [start, end, step]))
            }
            _ => None,
        };
        cond.map_or(Order::Maybe, |cond| Order::all([Order::When(cond, true, instance), met]))
    }

    fn statement(&self, list: usize, at: usize) -> &Order {
        (self.of)(&self.program.met[list][at])
    }

    /// In some statements of a list.
    fn list(&self, list: usize, range: std::ops::Range<usize>, instance: Instance) -> Order {
        let all = &self.program.met[list];
        let end = range.end.min(all.len());
        let some = all.get(range.start..end).unwrap_or_default();
        Order::any(some.iter().map(|met| (self.of)(met).seen_by(instance)))
    }
}

/// An expression, if the walk has made it.
fn find(exprs: &Exprs, node: Node, ty: Type) -> Option<Id> {
    exprs.known(&node, ty)
}

/// Makes what is asked of a loop's other rounds.
pub(crate) fn make_round_conditions(exprs: &mut Exprs, counter: Counter, extent: &Extent) {
    let Extent::Steps { start, end, step } = *extent else { return };
    let at = exprs.add(Node::Counter(counter), U32);
    let left = exprs.add(Node::Bin(Op::Sub, end, at), U32);
    exprs.add(Node::Bin(Op::Lt, step, left), Type::Bool);
    exprs.add(Node::Bin(Op::Lt, start, at), Type::Bool);
}

/// What a list of statements is called where no statement of it can be told from another by barriers: how many that have
/// some stand before it.
pub(crate) fn phase(program: &Program, path: &[Step]) -> Vec<(usize, usize, u8)> {
    let quiet = |met: &Met| *met == Met::default();
    let mut found = Vec::new();
    for step in path {
        let list = &program.met[step.list];
        if quiet(&list[step.at]) {
            let before = list[..step.at].iter().filter(|met| !quiet(met)).count();
            found.push((step.list, before, u8::MAX));
            break;
        }
        found.push((step.list, step.at, step.branch));
    }
    found
}
