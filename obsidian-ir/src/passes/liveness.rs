//! Liveness: from where to where each shared array is in use.
//!
//! Needs: nothing. Ensures: two arrays whose intervals do not meet are never in use at one time by threads that are in
//! step; `barriers` keeps them in step. Source: JFP 2016.
//!
//! ```text
//! 0: s1[i] = xs[i]          s1: 0 to 1
//! 1: s2[i] = s1[63 - i]     s2: 1 to 2
//! 2: out[i] = s2[63 - i]
//! ```

use std::collections::BTreeMap;

use super::access::{Effects, Loads};
use crate::level::Level;
use crate::program::{ArrayId, Block, Program, Space, StmtKind};

/// The use of one array, in positions of a linear numbering of the block's statements, both ends inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Live {
    /// The array.
    pub array: ArrayId,
    /// Its first access.
    pub first: u32,
    /// Its last access.
    pub last: u32,
    /// For an array of a warp: the ends of the `DistrPar` it belongs to. Warps are not in step with one another, so
    /// seen from outside the warp it is in use all that time.
    pub warp: Option<(u32, u32)>,
}

impl Live {
    /// The interval as other warps see it.
    pub fn outer(&self) -> (u32, u32) {
        self.warp.unwrap_or((self.first, self.last))
    }
}

/// The shared arrays that `body`, the code of one block, uses; in order of their first access.
pub fn intervals(program: &Program, loads: &Loads, body: &Block) -> Vec<Live> {
    intervals_and_steps(program, loads, body).0
}

/// [`intervals`], and the position of each `ForAll`, in order.
pub(super) fn intervals_and_steps(program: &Program, loads: &Loads, body: &Block) -> (Vec<Live>, Vec<u32>) {
    let (live, depth, loops, steps) = (BTreeMap::new(), BTreeMap::new(), Vec::new(), Vec::new());
    let mut w = Walker { program, loads, pos: 0, live, depth, loops, steps };
    w.block(body);
    let mut live: Vec<Live> = w.live.into_values().collect();
    live.sort_by_key(|l| (l.outer().0, l.first, l.last, l.array));
    (live, w.steps)
}

struct Loop {
    start: u32,
    level: Option<Level>,
    /// Arrays from outside the loop that are used inside: they live to its end.
    carried: Vec<ArrayId>,
}

struct Walker<'p> {
    program: &'p Program,
    loads: &'p Loads,
    pos: u32,
    live: BTreeMap<ArrayId, Live>,
    /// How many loops are around the `Allocate` of an array.
    depth: BTreeMap<ArrayId, usize>,
    loops: Vec<Loop>,
    /// Where the `ForAll`s are.
    steps: Vec<u32>,
}

impl Walker<'_> {
    fn block(&mut self, body: &Block) {
        for stmt in body {
            self.pos += 1;
            match &stmt.kind {
                StmtKind::Allocate { array } => {
                    self.depth.insert(*array, self.loops.len());
                }
                StmtKind::If { then, els, .. } => {
                    self.touch_all(&Effects::direct(&stmt.kind, self.loads));
                    self.block(then);
                    self.block(els);
                }
                StmtKind::SeqFor { body, .. } => {
                    self.touch_all(&Effects::direct(&stmt.kind, self.loads));
                    self.repeated(None, |w| w.block(body));
                }
                StmtKind::SeqWhile { head, body, .. } => {
                    self.repeated(None, |w| {
                        w.block(head);
                        w.pos += 1;
                        w.touch_all(&Effects::direct(&stmt.kind, w.loads));
                        w.block(body);
                    });
                }
                StmtKind::DistrPar { level, body, .. } => self.repeated(Some(*level), |w| w.block(body)),
                kind => {
                    if matches!(kind, StmtKind::ForAll { .. }) {
                        self.steps.push(self.pos);
                    }
                    self.touch_all(&Effects::of(stmt, self.loads));
                }
            }
        }
    }

    fn repeated(&mut self, level: Option<Level>, body: impl FnOnce(&mut Self)) {
        self.loops.push(Loop { start: self.pos, level, carried: Vec::new() });
        body(self);
        self.pos += 1;
        let Some(done) = self.loops.pop() else { return };
        for array in done.carried {
            self.touch(array, done.start);
            self.touch(array, self.pos);
        }
        if level == Some(Level::Warp) {
            for live in self.live.values_mut().filter(|l| l.warp.is_some_and(|(start, _)| start == done.start)) {
                live.warp = Some((done.start, self.pos));
            }
        }
    }

    fn touch_all(&mut self, effects: &Effects) {
        let arrays: Vec<ArrayId> = effects.arrays().collect();
        for array in arrays {
            self.touch(array, self.pos);
        }
    }

    fn touch(&mut self, array: ArrayId, pos: u32) {
        let Space::Shared(level) = self.program.array(array).space else { return };
        let depth = self.depth.get(&array).copied().unwrap_or(0);
        if let Some(outer) = self.loops.get_mut(depth)
            && !outer.carried.contains(&array)
        {
            outer.carried.push(array);
        }
        let scope = (level == Level::Warp)
            .then(|| self.loops.iter().rev().find(|l| l.level == Some(Level::Warp)).map(|l| (l.start, l.start)))
            .flatten();
        let live = self.live.entry(array).or_insert(Live { array, first: pos, last: pos, warp: scope });
        live.first = live.first.min(pos);
        live.last = live.last.max(pos);
    }
}
