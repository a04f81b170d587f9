//! How a rank leaves: it tells the others, and waits for them where the wire's ranks end together.

use std::time::Instant;

use super::{Ranks, State};
use crate::exchange::message::Kind;
use crate::exchange::wire::{Ending, Leaving, Wire};

impl<W: Wire> Ranks<W> {
    /// Waits until all others have left, or something has gone wrong.
    fn wait_for_all(&self) {
        let stays = |state: &State| self.others().find(|&other| state.from[other].left.is_none());
        let mut last = Instant::now();
        while self.state.borrow().broken.is_none() {
            let Some(other) = stays(&self.state.borrow()) else { return };
            if self.wire.is_told_to_end() {
                self.blame(other, "it has not left, and all are told to end".into());
                return;
            }
            if self.wire.leaving() == Leaving::TogetherWithinLimit && last.elapsed() >= self.limit {
                self.blame(other, format!("it has not left within {:?}, the limit", self.limit));
                return;
            }
            let taken = match self.wire.receive(self.limit) {
                Ok(Some((sender, message))) => {
                    last = Instant::now();
                    self.take_in(None, sender, message)
                }
                Ok(None) => Ok(()),
                Err(reason) => Err(self.blame(self.wire.rank(), reason)),
            };
            // It is in the state.
            drop(taken);
        }
    }
}

impl<W: Wire> Drop for Ranks<W> {
    /// Tells the others, so that who still waits for this rank need not wait until the limit: why nothing is exchanged any more, where
    /// this rank knows it from another one, for that one's message may come later.
    fn drop(&mut self) {
        let (now, broken) = (self.state.borrow().now, self.state.borrow().broken.clone());
        if let Some(failure) = &broken {
            self.tell_all(failure);
        }
        self.others().for_each(|other| self.tell(other, Kind::Left, now, 0, &[]));
        if self.wire.leaving() != Leaving::AtOnce && !std::thread::panicking() {
            self.wait_for_all();
        }
        self.wire.end(if self.state.borrow().broken.is_some() { Ending::BrokenOff } else { Ending::Done });
    }
}
