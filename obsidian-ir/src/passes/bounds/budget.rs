//! What the prover may spend on one program, in steps: a step is one sum made, or one known inequality tried. Counted, not
//! timed, so that a kernel compiles everywhere or nowhere.

/// Steps for one program: the largest program of `programs` takes a twentieth.
const ALL: u64 = 2_000_000;
/// A question gets this part of what is left: one that takes too long leaves enough for the others.
const SHARE: u64 = 8;

/// Steps that are left.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
    /// Of these, for the question at hand.
    here: u64,
    given_up: bool,
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget { left: ALL, here: ALL / SHARE, given_up: false }
    }

    /// A new question.
    pub(super) fn begin(&mut self) {
        self.here = self.left / SHARE;
        self.given_up = false;
    }

    /// Takes steps; the question is given up where there are not so many.
    pub(super) fn spend(&mut self, steps: usize) {
        let steps = steps as u64;
        if steps > self.here {
            self.given_up = true;
        } else {
            self.here -= steps;
            self.left -= steps;
        }
    }

    /// Whether the question at hand has been given up: what is not proved yet will not be.
    pub(super) fn given_up(&self) -> bool {
        self.given_up
    }

    /// Whether most questions can still be answered.
    pub(super) fn has_room(&self) -> bool {
        self.left > ALL / SHARE
    }

    /// Steps taken so far.
    pub(super) fn spent(&self) -> u64 {
        ALL - self.left
    }
}
