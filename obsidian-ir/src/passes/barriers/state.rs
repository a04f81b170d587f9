//! What has been touched since the last barrier: for each cell of memory who read, wrote and updated it.
//!
//! Takes the touches of a statement; says which barrier must come before it. A block's barrier orders everything, a
//! warp's barrier what the threads of one warp do.

use super::touch::{Cells, Touch, Who};
use crate::level::Level;
use crate::passes::access::Kind;
use crate::program::ScalarType;

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

/// Who touched a cell, and when.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    who: Who,
    /// As what it was touched; `None`: in several ways.
    ty: Option<ScalarType>,
    /// Block barriers before it.
    epoch: u32,
    /// Warp barriers before it; 0: its warp's barrier is already behind it.
    warp_epoch: u32,
}

impl Mark {
    /// The least level whose barrier orders two touches; `None`: one thread does both, in the order written. What a
    /// compiler sees as memory of two types it may take for two places, so there a barrier must say otherwise.
    fn least_level(self, later: Mark) -> Need {
        let pun = self.ty != later.ty || self.ty.is_none();
        self.who.least_level(later.who).or(pun.then_some(Level::Warp))
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    marks: [Mark; 3],
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

/// Touches of a piece of code since its last barrier.
#[derive(Debug, Clone)]
pub(super) struct State {
    cells: Vec<Cell>,
    epoch: u32,
    warp_epoch: u32,
    /// Whose barriers are looked for: within a warp's code, what other warps do does not count.
    scope: Level,
    touched: Touched,
}

/// Whether anything has been touched at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touched {
    Nothing,
    Something,
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
        let cells = vec![Cell::default(); cells];
        State { cells, epoch: 1, warp_epoch: 1, scope, touched: Touched::Nothing }
    }

    /// Nothing touched.
    pub(super) fn fresh(&self) -> State {
        State::new(self.cells.len(), self.scope)
    }

    /// Whose barriers are looked for.
    pub(super) fn scope(&self) -> Level {
        self.scope
    }

    pub(super) fn cells(&self) -> usize {
        self.cells.len()
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
        if self.touched == Touched::Nothing {
            return None;
        }
        let mut need = None;
        let own = slot(touch.kind);
        let others: Vec<usize> = (0..3).filter(|&k| disturbs(k, own)).collect();
        let mut look = |cell: usize, who: Who| {
            let now = self.now(touch, who, ordered);
            for &k in &others {
                let mark = self.cells[cell].marks[k];
                if mark.epoch == self.epoch {
                    need = stronger(need, self.between(mark, now));
                }
            }
            need != Some(self.scope)
        };
        match &touch.cells {
            Cells::Exact { first, who, width } => {
                for (&cell, &who) in first.iter().zip(who.iter()) {
                    for c in cell..cell + width {
                        if !look(c as usize, who) {
                            return need;
                        }
                    }
                }
            }
            Cells::Range(range, who) => {
                for c in range.clone() {
                    if !look(c as usize, *who) {
                        return need;
                    }
                }
            }
        }
        need
    }

    fn now(&self, touch: &Touch, who: Who, ordered: Ordered) -> Mark {
        let warp_epoch = if ordered == Ordered::ByWarp { 0 } else { self.warp_epoch };
        Mark { who, ty: Some(touch.ty), epoch: self.epoch, warp_epoch }
    }

    fn between(&self, mark: Mark, now: Mark) -> Need {
        if self.scope == Level::Warp {
            // What another warp does is no business of this warp's barriers.
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
        self.touched = Touched::Something;
        let k = slot(touch.kind);
        match &touch.cells {
            Cells::Exact { first, who, width } => {
                for (&cell, &who) in first.iter().zip(who.iter()) {
                    let new = self.now(touch, who, ordered);
                    for c in cell..cell + width {
                        self.mark(c as usize, k, new);
                    }
                }
            }
            Cells::Range(range, who) => {
                let new = self.now(touch, *who, ordered);
                range.clone().for_each(|c| self.mark(c as usize, k, new));
            }
        }
    }

    fn mark(&mut self, cell: usize, k: usize, new: Mark) {
        let now = self.warp_epoch;
        let mark = &mut self.cells[cell].marks[k];
        *mark = if mark.epoch == new.epoch { both(*mark, new, now) } else { new };
    }

    /// What may have been touched after one of two ways.
    pub(super) fn join(mut self, other: &State) -> State {
        if other.touched == Touched::Nothing {
            return self;
        }
        let (epoch, now) = (self.epoch.max(other.epoch) + 1, self.warp_epoch.max(other.warp_epoch) + 1);
        let renew = |mark: Mark, s: &State| {
            let warp_epoch = if mark.warp_epoch == s.warp_epoch { now } else { 0 };
            (mark.epoch == s.epoch).then_some(Mark { epoch, warp_epoch, ..mark })
        };
        for i in 0..self.cells.len() {
            for k in 0..3 {
                let (a, b) = (renew(self.cells[i].marks[k], &self), renew(other.cells[i].marks[k], other));
                self.cells[i].marks[k] = match (a, b) {
                    (Some(a), Some(b)) => both(a, b, now),
                    (a, b) => a.or(b).unwrap_or_default(),
                };
            }
        }
        State { epoch, warp_epoch: now, touched: Touched::Something, ..self }
    }
}

/// One mark for two of one kind on one cell. `now`: the number of warp barriers.
fn both(old: Mark, new: Mark, now: u32) -> Mark {
    let open = old.warp_epoch == now || new.warp_epoch == now;
    let warp_epoch = if open { now } else { 0 };
    let ty = old.ty.filter(|_| old.ty == new.ty);
    if old.who == new.who {
        return Mark { warp_epoch, ty, ..new };
    }
    // What a barrier of its warp is behind needs no order with its warp, and with others as the new one does.
    if old.warp_epoch != now && new.warp_epoch == now && old.who.least_level(new.who) == Some(Level::Warp) {
        return new;
    }
    Mark { who: old.who.with(new.who), ty, epoch: new.epoch, warp_epoch }
}
