//! Who is to blame: what goes wrong on one rank is the same error on all of them. In: what this rank knows of another, or was told; out: the error, and
//! messages to all others.

use super::Ranks;
use crate::error::Error;
use crate::exchange::message::{Kind, Operation, Step};
use crate::exchange::patience::Patience;
use crate::exchange::wire::Wire;

/// Why nothing is exchanged any more.
#[derive(Clone)]
pub struct Failure {
    pub rank: usize,
    pub step: u64,
    pub operation: Operation,
    pub reason: String,
}

impl Failure {
    pub fn error(self) -> Error {
        let Failure { rank, step, operation, reason } = self;
        Error::Exchange { rank, step, operation: operation.name(), reason }
    }
}

impl<W: Wire> Ranks<W> {
    /// Compares the step in which a rank waits with what this one did, or does, under that number.
    pub(super) fn compare(&self, rank: usize) -> Result<(), Error> {
        let state = self.state.borrow();
        let waits = state.from[rank].waits;
        let own = |step: Step| state.past.iter().chain([&state.now]).any(|&own| differs(step, own));
        let found = waits.filter(|&step| own(step));
        drop(state);
        found.map_or(Ok(()), |step| Err(self.apart(rank, step)))
    }

    /// The error of two ranks that do different exchanges.
    pub(super) fn apart(&self, rank: usize, theirs: Step) -> Error {
        let state = self.state.borrow();
        let own = state.past.iter().find(|own| own.number == theirs.number).copied().unwrap_or(state.now);
        let me = self.wire.rank();
        drop(state);
        let reason = format!(
            "it does {theirs} as step {}, and rank {me} does {own} as step {}; all ranks must do the same exchanges in the same order",
            theirs.number, own.number
        );
        self.broken_off_in(own, rank, reason)
    }

    /// The error of a rank that sends nothing.
    pub(super) fn late(&self, from: usize, patience: &Patience) -> Error {
        let blamed = self.state.borrow().blocked_by.unwrap_or(from);
        let on_the_way = if blamed == from { String::new() } else { format!(" by way of rank {from}") };
        self.blame(blamed, patience.reason(self.wire.rank(), &on_the_way))
    }

    /// Breaks the ranks off: `rank` is to blame, and all others are told.
    pub(in crate::exchange) fn blame(&self, rank: usize, reason: String) -> Error {
        let now = self.state.borrow().now;
        self.broken_off_in(now, rank, reason)
    }

    /// The same, for what went wrong in this step.
    fn broken_off_in(&self, step: Step, rank: usize, reason: String) -> Error {
        let mut state = self.state.borrow_mut();
        if let Some(broken) = &state.broken {
            return broken.clone().error();
        }
        let failure = Failure { rank, step: step.number, operation: step.operation, reason };
        state.broken = Some(failure.clone());
        drop(state);
        self.tell_all(&failure);
        failure.error()
    }

    /// Tells all others why nothing is exchanged any more.
    pub(super) fn tell_all(&self, failure: &Failure) {
        let step = Step { number: failure.step, operation: failure.operation, root: 0, elements: 0 };
        self.others().for_each(|other| self.tell(other, Kind::Failed, step, failure.rank, failure.reason.as_bytes()));
    }

    pub(super) fn others(&self) -> impl Iterator<Item = usize> {
        let me = self.wire.rank();
        (0..self.wire.size()).filter(move |&other| other != me)
    }

    /// Breaks off for a reason of the program's.
    pub(in crate::exchange) fn broken_off(&self, reason: String) -> Error {
        self.blame(self.wire.rank(), reason)
    }
}

/// Whether these are different exchanges of one number.
pub fn differs(a: Step, b: Step) -> bool {
    a.number == b.number && a != b
}
