//! What carries bytes between ranks.

use std::time::Duration;

/// Carries messages between ranks: those from one rank to another arrive whole, and in the order in which they were sent. All that has a
/// meaning is above it, in [`Ranks`](super::Ranks).
pub trait Wire {
    /// Which rank this is.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Sends a message to another rank, without waiting until it has arrived.
    ///
    /// # Errors
    /// Why it could not be sent; that the other rank is gone is none.
    fn send(&self, to: usize, message: Vec<u8>) -> Result<(), String>;

    /// The next message from any rank, and that rank; `None` if there was none within `wait`.
    ///
    /// # Errors
    /// Why nothing can be received any more.
    fn receive(&self, wait: Duration) -> Result<Option<(usize, Vec<u8>)>, String>;

    /// Whether this process is told to end, as all are where one has died: soon it will be killed. A [`receive`](Wire::receive) under way
    /// returns when that happens.
    fn is_told_to_end(&self) -> bool {
        false
    }

    /// What a rank that has left waits for.
    fn leaving(&self) -> Leaving {
        Leaving::AtOnce
    }

    /// Nothing more is sent or received. What is under way still arrives.
    fn end(&self, ending: Ending) {
        let _ = ending;
    }
}

/// What a rank that has left waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// For nobody.
    AtOnce,
    /// Until all others have left, or one has failed, or all are [told to end](Wire::is_told_to_end), as happens when one has died.
    Together,
    /// The same where nobody is told when one has died: for each of the others no longer than the time limit.
    TogetherWithinLimit,
}

/// How the exchanges of a rank came to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The program has left, as all ranks do.
    Done,
    /// By an error: other ranks may never come to theirs.
    BrokenOff,
}
