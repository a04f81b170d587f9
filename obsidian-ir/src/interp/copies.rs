//! Copies from buffers to shared memory that go on while other code runs: begun, made groups of, waited for. From its beginning to
//! the end of its wait an element that is copied to holds nothing, so whatever reads it in between shows.

use std::collections::{BTreeMap, VecDeque};

use super::fault::{Fault, Ran, Who};
use super::run::Machine;
use super::shadow::Access;
use crate::program::walk::Kind;
use crate::program::{ArrayId, Expr, ExprId};

/// An element on its way.
struct Copied {
    array: ArrayId,
    index: u64,
    bits: u64,
    begun: Access,
}

/// The copies of one thread.
#[derive(Default)]
struct OfThread {
    /// Begun since the last group.
    open: Vec<Copied>,
    /// On their way, the latest last.
    groups: VecDeque<Vec<Copied>>,
}

/// All copies that are on their way.
#[derive(Default)]
pub(super) struct Copies(BTreeMap<u32, OfThread>);

impl Copies {
    /// Another block's copies are others.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes a group of what each of these threads has begun.
    pub(super) fn commit(&mut self, who: Who) {
        for thread in who.from..who.to {
            let own = self.0.entry(thread).or_default();
            let group = std::mem::take(&mut own.open);
            own.groups.push_back(group);
        }
    }

    /// What is there once at most `pending` groups of each of these threads are on their way.
    fn landed(&mut self, who: Who, pending: u32) -> Vec<Copied> {
        let mut landed = Vec::new();
        for (_, own) in self.0.range_mut(who.from..who.to) {
            let done = own.groups.len().saturating_sub(pending as usize);
            landed.extend(own.groups.drain(..done).flatten());
        }
        landed
    }
}

impl Machine<'_, '_> {
    /// Begins to copy `count` elements, of which `value` loads the first.
    pub(super) fn begin_copy(&mut self, array: ArrayId, index: ExprId, value: ExprId, count: u32) -> Ran {
        let Expr::Load(from, at) = self.program.exprs.expr(value) else {
            return Err(Fault::Malformed("a copy of what is no element".into()).into());
        };
        let (to, at) = (self.aligned(array, index, count as usize)?, self.aligned(from, at, count as usize)?);
        // What a row and a column say of the first is asked here.
        let first = self.bits(value)?;
        self.note_vector(array, (to, count), Kind::Write);
        for k in 0..u64::from(count) {
            let bits = if k == 0 { first } else { self.memory.read(from, at + k, self.access(Kind::Read))? };
            let begun = self.access(Kind::Write);
            self.memory.empty(array, to + k, begun)?;
            let copied = Copied { array, index: to + k, bits, begun };
            self.copies.0.entry(begun.who.from).or_default().open.push(copied);
        }
        Ok(())
    }

    /// Waits for all groups of copies but the latest `pending`.
    pub(super) fn finish_copies(&mut self, pending: u32) -> Ran {
        let now = self.access(Kind::Write);
        for Copied { array, index, bits, begun } in self.copies.landed(self.here.who, pending) {
            let access = Access { who: begun.who, warp: begun.warp, ..now };
            self.memory.write(array, index, bits, access)?;
        }
        Ok(())
    }
}
