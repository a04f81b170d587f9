//! Race detection: who has touched an element since when.
//!
//! Two accesses are in order if one thread does both, if a block barrier lies between them (memory of a block), or if
//! both are of one warp and a barrier of it lies between them. Blocks are never in order with one another.

use super::fault::Who;
use crate::diag::Span;
use crate::program::walk::Kind;

/// Whether different virtual blocks may meet on the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Shared memory: the virtual blocks of one real block run after one another.
    Block,
    /// Global memory: all blocks run at once.
    Grid,
}

/// One access.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    pub who: Who,
    /// The warp that all of `who` is in; `None`: of several.
    pub warp: Option<u32>,
    /// Block barriers that the block has passed.
    pub epoch: u32,
    /// Barriers that the warp has passed.
    pub warp_epoch: u32,
    pub kind: Kind,
    pub span: Span,
}

impl Access {
    /// Whether nothing orders the earlier `self` before `later`; does not look at what they do.
    fn concurrent(&self, later: &Access, reach: Reach) -> bool {
        if reach == Reach::Grid && self.who.block != later.who.block {
            return true;
        }
        let same_thread = (self.who.from, self.who.to) == (later.who.from, later.who.to) && self.single();
        let by_warp = self.warp.is_some() && self.warp == later.warp && self.warp_epoch != later.warp_epoch;
        !same_thread && !by_warp && self.epoch == later.epoch
    }

    fn single(&self) -> bool {
        self.who.to - self.who.from == 1
    }
}

/// The accesses of one kind since the last barrier that are needed to see any race with a later access. Two are enough: if they
/// are of two warps, one of them races with whatever any warp does; if all are of one warp, these are the latest of two threads.
type Pair = [Option<Access>; 2];

/// What is known of one element.
#[derive(Debug, Clone, Default)]
pub(super) struct Shadow {
    write: Option<Access>,
    /// Reads and atomic updates; most elements have none.
    others: Option<Box<[Pair; 2]>>,
}

impl Shadow {
    /// Notes an access; gives the earlier one that it races with.
    pub(super) fn touch(&mut self, now: Access, reach: Reach) -> Option<Access> {
        let bad = |a: &&Access| a.concurrent(&now, reach);
        if let Some(w) = self.write.as_ref().filter(bad) {
            return Some(*w);
        }
        if let Some(others) = &self.others {
            let [reads, atomics] = &**others;
            let met = match now.kind {
                Kind::Read => atomics.iter().flatten().find(bad),
                Kind::Write => reads.iter().chain(atomics).flatten().find(bad),
                Kind::Atomic => reads.iter().flatten().find(bad),
            };
            if let Some(other) = met {
                return Some(*other);
            }
        }
        match now.kind {
            Kind::Read => note(&mut self.others.get_or_insert_default()[0], now, reach),
            Kind::Atomic => note(&mut self.others.get_or_insert_default()[1], now, reach),
            Kind::Write => self.write = Some(now),
        }
        None
    }
}

fn note(pair: &mut Pair, now: Access, reach: Reach) {
    let other_block = |a: &Access, b: &Access| reach == Reach::Grid && a.who.block != b.who.block;
    let apart = |a: &Access, b: &Access| other_block(a, b) || a.warp.is_none() || a.warp != b.warp;
    let same = |a: &Access| (a.who.from, a.who.to) == (now.who.from, now.who.to);
    *pair = match *pair {
        [None, _] => [Some(now), None],
        [Some(a), Some(b)] if other_block(&a, &b) => [Some(a), Some(b)],
        [Some(a), _] if a.epoch != now.epoch && !other_block(&a, &now) => [Some(now), None],
        [Some(a), Some(b)] if apart(&a, &b) => [Some(a), Some(b)],
        [Some(a), _] if apart(&a, &now) => [Some(a), Some(now)],
        [Some(a), _] if a.warp_epoch != now.warp_epoch => [Some(now), None],
        [Some(a), None] if !same(&a) => [Some(a), Some(now)],
        full => full,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(thread: u32, epoch: u32, warp_epoch: u32, kind: Kind) -> Access {
        let who = Who { block: 0, from: thread, to: thread + 1 };
        Access { who, warp: Some(thread / 32), epoch, warp_epoch, kind, span: Span::NONE }
    }

    fn races(accesses: &[Access]) -> bool {
        let mut s = Shadow::default();
        accesses.iter().any(|&a| s.touch(a, Reach::Block).is_some())
    }

    #[test]
    fn a_write_and_a_read_of_two_threads_race_in_one_phase_only() {
        assert!(races(&[at(0, 0, 0, Kind::Write), at(1, 0, 0, Kind::Read)]));
        assert!(!races(&[at(0, 0, 0, Kind::Write), at(1, 1, 0, Kind::Read)]));
        assert!(!races(&[at(0, 0, 0, Kind::Write), at(0, 0, 0, Kind::Read)]));
    }

    #[test]
    fn a_warp_barrier_orders_its_own_warp_only() {
        assert!(!races(&[at(0, 0, 0, Kind::Write), at(1, 0, 1, Kind::Read)]));
        assert!(races(&[at(0, 0, 0, Kind::Write), at(32, 0, 1, Kind::Read)]));
    }

    #[test]
    fn a_write_meets_any_of_many_readers() {
        let mut reads: Vec<Access> = (0..64).map(|t| at(t, 0, 0, Kind::Read)).collect();
        reads.push(at(0, 0, 0, Kind::Write));
        assert!(races(&reads));
        assert!(!races(&[at(5, 0, 0, Kind::Read), at(5, 0, 0, Kind::Write)]));
    }

    #[test]
    fn atomics_race_with_plain_accesses_only() {
        assert!(!races(&[at(0, 0, 0, Kind::Atomic), at(1, 0, 0, Kind::Atomic)]));
        assert!(races(&[at(0, 0, 0, Kind::Atomic), at(1, 0, 0, Kind::Read)]));
        assert!(races(&[at(0, 0, 0, Kind::Atomic), at(1, 0, 0, Kind::Atomic), at(1, 0, 0, Kind::Write)]));
    }

    #[test]
    fn blocks_race_on_global_memory() {
        let mut s = Shadow::default();
        let (a, mut b) = (at(0, 0, 0, Kind::Write), at(0, 9, 9, Kind::Write));
        b.who.block = 1;
        assert!(s.touch(a, Reach::Grid).is_none());
        assert!(s.touch(b, Reach::Grid).is_some());
    }
}
