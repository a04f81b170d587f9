//! What `sites` finds: accesses and computations in the text of a phase, each with the threads and the conditions under
//! which it happens.

use super::rests::ByRest;
use crate::diag::Span;
use crate::passes::index::{Sum, Table};
pub(crate) use crate::program::walk::Kind;
use crate::program::{ArrayId, Claim, ExprId, Range, VarId};

/// Who does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Team {
    /// One instance for each lane of the outermost loops, of which this is the number.
    Threads(usize),
    /// All threads at once.
    Everyone,
    /// Threads whose number is not known.
    Unknown,
}

/// Whether something happens at least once in the lanes of its mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sure {
    Always,
    /// Where this condition holds, which is not known while compiling.
    If(ExprId),
    /// Where it does not.
    Unless(ExprId),
    /// Where several hold, or do not.
    Case(CaseId),
    Perhaps,
}

/// Conditions that the finder keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CaseId(pub(super) u32);

/// When it happens.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// In which lanes at most.
    pub(crate) mask: Table,
    pub(crate) sure: Sure,
    /// In which of these lanes, for each remainder of a number that all of them share. Only where [`Purpose::Order`] asks.
    pub(crate) by_rest: Option<ByRest>,
}

/// A load, an assignment or an atomic update.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) array: ArrayId,
    pub(crate) kind: Kind,
    /// The index as it is written; of a vector, that of its first element.
    pub(crate) at: ExprId,
    /// Elements of the access: more than one of a vector.
    pub(crate) width: u32,
    /// The element; `None` where it is not known while compiling.
    pub(crate) index: Option<Sum>,
    /// Where the element is not known: what is, and what data may add to it, in one way or in two. Only where [`Purpose::Order`] asks.
    pub(crate) by_data: Vec<ByData>,
    /// Where the element is not known: what it would be without a turn.
    pub(crate) turned: Option<Turned>,
    pub(crate) guard: Guard,
    /// Rounds of the loops around it.
    pub(crate) extents: Vec<u32>,
    /// The counters of those loops.
    pub(crate) counters: Vec<VarId>,
    pub(crate) team: Team,
    /// Which of the loops is the one over the block's warps.
    pub(crate) warp: Option<usize>,
    pub(crate) span: Span,
    /// Of a write: why it is safe.
    pub(crate) claim: Claim,
    /// Whether a loop around it runs for a number of rounds that is not known: then this is one round.
    pub(crate) open: bool,
}

/// A place that data has a part in: modulo 2^32 it is `known` and, for each of `terms`, a multiple of a number that nobody knows.
#[derive(Debug, Clone)]
pub(crate) struct ByData {
    pub(crate) known: Sum,
    pub(crate) terms: Vec<DataTerm>,
}

/// An index without the turn that a part of it makes.
#[derive(Debug, Clone)]
pub(crate) struct Turned {
    pub(crate) straight: Sum,
    /// The rest of the index is a multiple of this, and the turned part below it.
    pub(crate) reach: u32,
    pub(crate) turn: Turn,
}

/// A permutation of the numbers below a power of two, by a number that all lanes share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) by: Sum,
    pub(crate) size: u32,
    pub(crate) how: How,
}

/// What a turn does with the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Adds it, and takes the remainder.
    Added,
    /// Changes the bits that it has.
    Flipped,
}

/// A number that may be another one whenever it is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DataTerm {
    pub(crate) coefficient: u32,
    /// Where the number lies.
    pub(crate) range: Range,
}

impl Site {
    /// What is known of its index: all of it, or what data has no part in.
    pub(crate) fn known(&self) -> Option<&Sum> {
        self.index.as_ref().or(self.by_data.first().map(|by_data| &by_data.known))
    }

    /// The lanes in which it happens with the element that each touches, symbols apart; none where that is not known.
    pub(crate) fn elements(&self) -> Vec<(u64, u32)> {
        self.index.as_ref().map_or(Vec::new(), |index| self.among(&index.rest))
    }

    /// The `numbers` of the lanes in which it happens.
    pub(crate) fn among(&self, numbers: &Table) -> Vec<(u64, u32)> {
        let depth = self.extents.len();
        let all = numbers.spread(&self.extents, depth);
        let lanes = (0u64..).zip(all.iter().copied());
        if self.guard.mask.as_uniform() == Some(1) {
            return lanes.collect();
        }
        let mask = self.guard.mask.spread(&self.extents, depth);
        lanes.filter(|&(lane, _)| mask[lane as usize] != 0).collect()
    }
}

/// A statement of thread code: what it computes, and when.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    /// Values, each with the variable that is bound to it, if one is.
    pub(crate) values: Vec<(Option<VarId>, ExprId)>,
    pub(crate) mask: Table,
    pub(crate) extents: Vec<u32>,
    pub(crate) open: bool,
}

/// What the sites are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Which threads meet: each element of an array that is written, once per leaf.
    Order,
    /// The number of requests to memory: every access of every array, as often as it stands in a scheduled program.
    Costs,
}
