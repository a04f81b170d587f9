//! What has been touched since the last barrier: for each cell of memory who read, wrote and updated it.
//!
//! Takes the touches of a statement; says which barrier must come before it. A block's barrier orders everything, a
//! warp's barrier what the threads of one warp do.

use std::ops::Range;

use super::touch::{Cells, Touch, Who};
use crate::level::Level;
use crate::passes::access::Kind;

/// The barrier that is needed, weakest first.
pub(super) type Need = Option<Level>;

/// The stronger need.
pub(super) fn stronger(a: Need, b: Need) -> Need {
    match (a, b) {
        (Some(Level::Block), _) | (_, Some(Level::Block)) => Some(Level::Block),
        (need, None) | (None, need) => need,
        (a, _) => a,
    }
}

/// Who touched a cell, and when. Kept in one word, the epochs on top: old marks are less than new ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    who: Who,
    /// The type as which it was touched, by number; 0 if it was touched as several.
    ty: u32,
    /// Block barriers before it.
    epoch: u32,
    /// Warp barriers before it; 0: its warp's barrier is already behind it.
    warp_epoch: u32,
}

const WARP_EPOCH: u32 = 24;
const EPOCH: u32 = 44;
const TYPE: u32 = 18;

/// The bits of a part, shifted down.
const WHOSE: u64 = (1 << TYPE) - 1;
const TYPES: u64 = (1 << (WARP_EPOCH - TYPE)) - 1;
const WARP_EPOCHS: u64 = (1 << (EPOCH - WARP_EPOCH)) - 1;

impl Mark {
    fn word(self) -> u64 {
        let low = u64::from(self.ty) << TYPE | u64::from(self.who.0);
        u64::from(self.epoch) << EPOCH | u64::from(self.warp_epoch) << WARP_EPOCH | low
    }

    fn of(word: u64) -> Mark {
        Mark {
            who: Who((word & WHOSE) as u32),
            ty: (word >> TYPE & TYPES) as u32,
            epoch: (word >> EPOCH) as u32,
            warp_epoch: (word >> WARP_EPOCH & WARP_EPOCHS) as u32,
        }
    }

    /// The least level whose barrier orders two touches; `None`: one thread does merged, in the order written. What a
    /// compiler sees as memory of two types it may take for two places, so there a barrier must say otherwise.
    fn least_level(self, later: Mark) -> Need {
        let pun = self.ty != later.ty || self.ty == 0;
        self.who.least_level(later.who).or(pun.then_some(Level::Warp))
    }
}

fn slot(kind: Kind) -> usize {
    match kind {
        Kind::Read => 0,
        Kind::Write => 1,
        Kind::Atomic => 2,
    }
}

/// Whether two touches of one cell need an order: all but two reads and two atomic updates do.
fn disturbs(a: usize, b: usize) -> bool {
    a != b || a == slot(Kind::Write)
}

/// No cells: the first that is touched is the least and the last.
const NOWHERE: Range<u32> = Range { start: u32::MAX, end: 0 };

/// Touches of a piece of code since its last barrier.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// For each way to touch, each cell's mark.
    marks: [Vec<u64>; 3],
    epoch: u32,
    warp_epoch: u32,
    /// Whose barriers are looked for: within a warp's code, what other warps do does not count.
    scope: Level,
    /// For each way to touch, the cells among which those lie that have been touched at all.
    reached: [Range<u32>; 3],
}

/// Where a touch stands among the barriers of the warp's code it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ordered {
    /// No barrier of the warp between.
    No,
    /// A barrier of the warp comes between.
    ByWarp,
}

impl State {
    pub(super) fn new(cells: usize, scope: Level) -> State {
        State {
            marks: [vec![0; cells], vec![0; cells], vec![0; cells]],
            epoch: 1,
            warp_epoch: 1,
            scope,
            reached: [NOWHERE; 3],
        }
    }

    /// Nothing touched.
    pub(super) fn fresh(&self) -> State {
        State::new(self.cells(), self.scope)
    }

    /// Whose barriers are looked for.
    pub(super) fn scope(&self) -> Level {
        self.scope
    }

    pub(super) fn cells(&self) -> usize {
        self.marks[0].len()
    }

    /// A barrier.
    pub(super) fn sync(&mut self, level: Level) {
        if level >= self.scope {
            self.epoch += 1;
        } else {
            self.warp_epoch += 1;
        }
    }

    /// The barrier needed between what is noted and `touch`.
    pub(super) fn need(&self, touch: &Touch, ordered: Ordered) -> Need {
        let own = slot(touch.kind);
        let mut need = None;
        for k in (0..3).filter(|&k| disturbs(k, own) && !self.reached[k].is_empty()) {
            need = stronger(need, self.meets(&self.marks[k], touch, ordered, self.scope));
        }
        need
    }

    /// The barrier needed between marks of one kind and `touch`; stops at `enough`. This runs for every element of every
    /// step, in builds without optimisation too: hence plain loops over slices and words.
    fn meets(&self, marks: &[u64], touch: &Touch, ordered: Ordered, enough: Level) -> Need {
        let live = u64::from(self.epoch) << EPOCH;
        let base = self.now(touch, Who::NOBODY, ordered).word();
        let mut need = None;
        match &touch.cells {
            Cells::Exact { first, who, width } => {
                let (first, who): (&[u32], &[u32]) = (first, who);
                let mut i = 0;
                while i < first.len() {
                    let (mut c, end) = (first[i], first[i] + width);
                    let now = base | who[i] as u64;
                    while c < end {
                        let mark = marks[c as usize];
                        if mark >= live && (mark != now || who[i] >= Who::SEVERAL) {
                            need = stronger(need, self.between(Mark::of(mark), Mark::of(now)));
                            if need == Some(enough) {
                                return need;
                            }
                        }
                        c += 1;
                    }
                    i += 1;
                }
            }
            Cells::Range(range, who) => {
                let now = base | u64::from(who.0);
                for &mark in marks[range.start as usize..range.end as usize].iter().filter(|&&m| m >= live) {
                    need = stronger(need, self.between(Mark::of(mark), Mark::of(now)));
                }
            }
        }
        need
    }

    fn now(&self, touch: &Touch, who: Who, ordered: Ordered) -> Mark {
        let warp_epoch = if ordered == Ordered::ByWarp { 0 } else { self.warp_epoch };
        Mark { who, ty: touch.ty as u32 + 1, epoch: self.epoch, warp_epoch }
    }

    fn between(&self, mark: Mark, now: Mark) -> Need {
        if self.scope == Level::Warp {
            // The barriers of this warp need not order what another warp does.
            let needed = mark.who.meets(now.who) && mark.least_level(now).is_some();
            return needed.then_some(Level::Warp);
        }
        match mark.least_level(now) {
            Some(Level::Warp) if mark.warp_epoch != self.warp_epoch || now.warp_epoch == 0 => None,
            level => level,
        }
    }

    /// Notes a touch.
    pub(super) fn note(&mut self, touch: &Touch, ordered: Ordered) {
        let base = self.now(touch, Who::NOBODY, ordered).word();
        let (live, warp_epoch) = (u64::from(self.epoch) << EPOCH, self.warp_epoch);
        let marks: &mut [u64] = &mut self.marks[slot(touch.kind)];
        let Range { start: mut from, end: mut to } = self.reached[slot(touch.kind)];
        match &touch.cells {
            Cells::Exact { first, who, width } => {
                let (first, who): (&[u32], &[u32]) = (first, who);
                let mut i = 0;
                while i < first.len() {
                    let (mut c, end) = (first[i], first[i] + width);
                    let now = base | who[i] as u64;
                    from = from.min(c);
                    to = to.max(end);
                    while c < end {
                        let mark = marks[c as usize];
                        let new = mark < live || mark == now;
                        marks[c as usize] =
                            if new { now } else { merged(Mark::of(mark), Mark::of(now), warp_epoch).word() };
                        c += 1;
                    }
                    i += 1;
                }
            }
            Cells::Range(range, who) => {
                let now = base | u64::from(who.0);
                (from, to) = (from.min(range.start), to.max(range.end));
                for mark in &mut marks[range.start as usize..range.end as usize] {
                    let new = *mark < live || *mark == now;
                    *mark = if new { now } else { merged(Mark::of(*mark), Mark::of(now), warp_epoch).word() };
                }
            }
        }
        self.reached[slot(touch.kind)] = from..to;
    }

    /// What may have been touched after either of two paths.
    pub(super) fn join(mut self, other: &State) -> State {
        let (live, now) = (u64::from(self.epoch) << EPOCH, self.warp_epoch);
        let live_there = u64::from(other.epoch) << EPOCH;
        for k in 0..3 {
            let Range { start, end } = other.reached[k];
            for i in start as usize..end as usize {
                let (here, there) = (self.marks[k][i], other.marks[k][i]);
                if there < live_there {
                    continue;
                }
                let there = Mark::of(there);
                let warp_epoch = if there.warp_epoch == other.warp_epoch { now } else { 0 };
                let there = Mark { epoch: self.epoch, warp_epoch, ..there };
                let both = if here < live { there } else { merged(Mark::of(here), there, now) };
                self.marks[k][i] = both.word();
            }
            let Range { start: from, end: to } = self.reached[k];
            self.reached[k] = from.min(start)..to.max(end);
        }
        self
    }
}

/// One mark for two of one kind on one cell. `now`: the number of warp barriers.
fn merged(old: Mark, new: Mark, now: u32) -> Mark {
    let open = old.warp_epoch == now || new.warp_epoch == now;
    let warp_epoch = if open { now } else { 0 };
    let ty = if old.ty == new.ty { old.ty } else { 0 };
    if old.who == new.who {
        return Mark { warp_epoch, ty, ..new };
    }
    // What a barrier of its warp is behind needs no order with its warp, and with others as the new one does.
    if old.warp_epoch != now && new.warp_epoch == now && old.who.least_level(new.who) == Some(Level::Warp) {
        return new;
    }
    Mark { who: old.who.with(new.who), ty, epoch: new.epoch, warp_epoch }
}
