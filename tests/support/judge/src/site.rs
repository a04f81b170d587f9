//! Sites: the loads, assignments and atomic updates of a program, each with who does it, in which order, and when.

use crate::expr::{Counter, Exprs, Id};
use crate::machine::Met;
use crate::text::{Array, Claim, Level, Type, U32};

/// What is done to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    Read,
    Write,
    Atomic,
}

/// What stands at a step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Members that do not wait for one another: `forall`, `distribute`.
    Share(Counter),
    /// Rounds: `seq`, `while`.
    Rounds(Counter),
    Plain,
}

/// A statement on the way from the program's list to a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    /// Which list, of whom, and where in it.
    pub(crate) list: usize,
    pub(crate) level: Level,
    pub(crate) at: usize,
    pub(crate) kind: Kind,
    /// Which of its lists the path goes into: 1 and 2 of a branch, 1 for the head of a `while`, 2 for its body.
    pub(crate) branch: u8,
}

/// Values that a counter takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extent {
    Below(Id),
    Steps {
        start: Id,
        end: Id,
        step: Id,
    },
    /// Rounds of a `while`.
    Open,
}

/// A counter as it is printed.
#[derive(Debug, Clone)]
pub(crate) struct CounterInfo {
    pub(crate) name: String,
    pub(crate) extent: Extent,
    /// Which member it numbers; `None` of rounds.
    pub(crate) member: Option<Level>,
}

/// One access in the text.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) access: Access,
    pub(crate) array: usize,
    pub(crate) index: Id,
    pub(crate) path: Vec<Step>,
    /// Conditions that hold, or do not, where it happens.
    pub(crate) when: Vec<(Id, bool)>,
    /// The same with the index replaced by [`Node::Element`]: what holds where it writes a certain element.
    pub(crate) when_element: Vec<(Id, bool)>,
    pub(crate) claim: Claim,
}

impl Site {
    /// The counters of an instance, outermost first.
    pub(crate) fn counters(&self) -> impl Iterator<Item = Counter> + '_ {
        counters(&self.path)
    }
}

/// The counters of a path, outermost first.
pub(crate) fn counters(path: &[Step]) -> impl Iterator<Item = Counter> + '_ {
    path.iter().filter_map(|s| match s.kind {
        Kind::Share(c) | Kind::Rounds(c) => Some(c),
        Kind::Plain => None,
    })
}

/// A barrier in the text.
#[derive(Debug, Clone)]
pub(crate) struct Barrier {
    /// Whose threads wait.
    pub(crate) level: Level,
    pub(crate) path: Vec<Step>,
    pub(crate) when: Vec<(Id, bool)>,
}

/// Accesses to neighbours that are one.
#[derive(Debug, Clone)]
pub(crate) struct Vector {
    /// The first of them.
    pub(crate) first: Site,
    pub(crate) len: u32,
}

/// A kernel as a list of its sites.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) exprs: Exprs,
    pub(crate) arrays: Vec<Array>,
    /// The length of each array.
    pub(crate) lens: Vec<Id>,
    /// The counters around where an array is allocated: each instance of them has its own copy.
    pub(crate) copies: Vec<Vec<Counter>>,
    pub(crate) counters: Vec<CounterInfo>,
    pub(crate) checks: Vec<Id>,
    pub(crate) sites: Vec<Site>,
    /// Reads of a row or of a column, which is the index here, and how many there are.
    pub(crate) sides: Vec<(Site, Id)>,
    pub(crate) barriers: Vec<Barrier>,
    pub(crate) vectors: Vec<Vector>,
    /// When a barrier is met in each statement of each list, by the lists' numbers.
    pub(crate) met: Vec<Vec<Met>>,
    pub(crate) scalars: Vec<(String, Type)>,
}

impl Program {
    /// Whether the values of a counter depend on one of these.
    pub(crate) fn extent_asks(&self, counter: Counter, of: &[Counter]) -> bool {
        let asks = |id: Id| self.exprs.leaves(id).counters.iter().any(|c| of.contains(c));
        match self.counters[counter.0].extent {
            Extent::Below(n) => asks(n),
            Extent::Steps { start, end, step } => asks(start) || asks(end) || asks(step),
            Extent::Open => false,
        }
    }

    /// The type of a scalar argument or a length.
    pub(crate) fn launch_type(&self, name: &str) -> Type {
        self.scalars.iter().find(|(n, _)| n == name).map_or(U32, |(_, ty)| *ty)
    }
}
