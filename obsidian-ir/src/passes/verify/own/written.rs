//! What every thread has written of its own arrays at one place of its code.

use super::counted::{Part, terms};
use crate::passes::index::{Budget, Table, lanes_of};
use crate::program::{ArrayId, ExprId, Program};
use crate::tables::HashMap;

/// What has been written of each array.
#[derive(Clone, Default)]
pub(super) struct Written {
    arrays: HashMap<ArrayId, State>,
}

#[derive(Clone)]
struct State {
    /// The elements that every thread has written, whatever the rounds of the loops around.
    everywhere: Vec<bool>,
    /// What else has been written.
    pieces: Vec<Piece>,
    /// Whether something may have been written besides.
    doubtful: bool,
    /// The length, a sum, of what every thread has written from the first element on.
    front: Vec<ExprId>,
}

/// Elements that each lane of some loops has written.
#[derive(Clone, PartialEq)]
struct Piece {
    index: Table,
    mask: Table,
    extents: Vec<u32>,
    /// The loops, from outside, that are still at the round in which it was written; of the others all rounds are done.
    depth: usize,
}

/// What is missing of the elements that are read.
pub(super) enum Missing {
    Nothing,
    /// The first that may not have been written.
    Element(u32),
    /// It is too much to look at.
    TooMuch,
}

impl Written {
    pub(super) fn allocate(&mut self, array: ArrayId, len: u32) {
        let state =
            State { everywhere: vec![false; len as usize], pieces: Vec::new(), doubtful: false, front: Vec::new() };
        self.arrays.insert(array, state);
    }

    /// Whether not all of an array has been written.
    pub(super) fn is_open(&self, array: ArrayId) -> bool {
        self.arrays.get(&array).is_some_and(|state| !state.everywhere.iter().all(|&written| written))
    }

    /// Whether more may have been written than is known.
    pub(super) fn is_doubtful(&self, array: ArrayId) -> bool {
        self.arrays.get(&array).is_some_and(|state| state.doubtful)
    }

    /// An unknown element is written.
    pub(super) fn doubt(&mut self, array: ArrayId) {
        if let Some(state) = self.arrays.get_mut(&array) {
            state.doubtful = true;
        }
    }

    /// The lanes of `mask` each write an element.
    pub(super) fn write(&mut self, array: ArrayId, index: &Table, mask: &Table, extents: &[u32]) {
        let Some(state) = self.arrays.get_mut(&array) else { return };
        let piece = Piece { index: index.clone(), mask: mask.clone(), extents: extents.to_vec(), depth: extents.len() };
        if !state.spread(&piece) {
            state.pieces.push(piece);
        }
    }

    /// Every thread has written a part. What may be read lies below the length that is filled.
    pub(super) fn fill(&mut self, p: &Program, array: ArrayId, part: Part) {
        let Some(state) = self.arrays.get_mut(&array) else { return };
        if part.before != state.front {
            return;
        }
        state.front.extend(part.len);
        state.front.sort_unstable();
        if p.array(array).filled.is_some_and(|filled| terms(p, filled) == state.front) {
            state.everywhere.fill(true);
        }
    }

    /// The loops from `depth` on have come to their end.
    pub(super) fn close(&mut self, depth: usize) {
        for state in self.arrays.values_mut() {
            let mut pieces = std::mem::take(&mut state.pieces);
            for piece in pieces.iter_mut() {
                piece.depth = piece.depth.min(depth);
            }
            pieces.retain(|piece| !state.spread(piece));
            state.pieces = pieces;
        }
    }

    /// What this and `other` have both.
    pub(super) fn both(&mut self, other: &Written) {
        self.arrays.retain(|array, _| other.arrays.contains_key(array));
        for (array, state) in &mut self.arrays {
            let Some(one) = other.arrays.get(array) else { continue };
            state.doubtful |= one.doubtful || state.everywhere != one.everywhere || state.pieces != one.pieces;
            if state.front != one.front {
                state.front.clear();
            }
            state.everywhere.iter_mut().zip(&one.everywhere).for_each(|(a, b)| *a &= b);
            state.pieces.retain(|piece| one.pieces.contains(piece));
        }
    }

    /// This, where what `after` has more may have happened.
    pub(super) fn doubting(mut self, after: &Written) -> Written {
        self.both(after);
        self
    }

    /// What is missing of the elements at `index` that the lanes of `mask` read; of all, where the index is not known.
    pub(super) fn missing(
        &self,
        array: ArrayId,
        (index, mask): (Option<&Table>, &Table),
        extents: &[u32],
        budget: &mut Budget,
    ) -> Missing {
        let Some(state) = self.arrays.get(&array) else { return Missing::Nothing };
        let Some(index) = index else {
            let all = 0..state.everywhere.len() as u32;
            for e in all.filter(|&e| !state.everywhere[e as usize]) {
                match state.missing((&Table::uniform(e), mask), extents, budget) {
                    Missing::Nothing => {}
                    other => return other,
                }
            }
            return Missing::Nothing;
        };
        state.missing((index, mask), extents, budget)
    }
}

impl State {
    /// Takes a piece that is the same for all lanes of the loops that are not done; whether it is.
    fn spread(&mut self, piece: &Piece) -> bool {
        let same = (0..piece.depth).all(|dim| !piece.index.depends_on(dim));
        if !same || piece.mask.as_uniform() != Some(1) {
            return false;
        }
        let mut extents = piece.extents.clone();
        extents[..piece.depth].fill(1);
        for &e in piece.index.spread(&extents, extents.len()).iter() {
            if let Some(written) = self.everywhere.get_mut(e as usize) {
                *written = true;
            }
        }
        true
    }

    fn missing(&self, (index, mask): (&Table, &Table), extents: &[u32], budget: &mut Budget) -> Missing {
        let len = self.everywhere.len();
        // A loop that nobody's element depends on is looked at in one round.
        let used = |dim: usize| {
            let pieces = self.pieces.iter().any(|p| p.index.depends_on(dim) || p.mask.depends_on(dim));
            pieces || index.depends_on(dim) || mask.depends_on(dim)
        };
        let short = |all: &[u32]| -> Vec<u32> {
            all.iter().enumerate().map(|(dim, &n)| if used(dim) { n } else { n.min(1) }).collect()
        };
        let here = short(extents);
        let cost = |all: &[u32]| lanes_of(all).saturating_mul(2);
        let work = self.pieces.iter().map(|p| cost(&short(&p.extents))).fold(cost(&here), u64::saturating_add);
        if !budget.take(work) || lanes_of(&here).saturating_mul(len as u64) > 1 << 20 {
            return Missing::TooMuch;
        }
        // For each number of loops that are shared: the elements written, by the rounds of those loops.
        let mut tables: Vec<(u64, Vec<bool>)> = Vec::new();
        for depth in 0..=here.len() {
            let mut table = Vec::new();
            for piece in self.pieces.iter().filter(|piece| piece.depth == depth) {
                table.resize(lanes_of(&here[..depth]) as usize * len, false);
                let own = short(&piece.extents);
                let inner = lanes_of(&own[depth..]).max(1);
                for (lane, e) in among(&piece.index, &piece.mask, &own) {
                    let at = (lane / inner) as usize * len + e as usize;
                    if (e as usize) < len {
                        table[at] = true;
                    }
                }
            }
            tables.push((lanes_of(&here[depth..]).max(1), table));
        }
        let written = |lane: u64, e: u32| {
            let at = |each: u64| (lane / each) as usize * len + e as usize;
            self.everywhere[e as usize] || tables.iter().any(|(each, table)| table.get(at(*each)) == Some(&true))
        };
        let open = among(index, mask, &here).into_iter().find(|&(lane, e)| (e as usize) < len && !written(lane, e));
        open.map_or(Missing::Nothing, |(_, e)| Missing::Element(e))
    }
}

/// The lanes of the mask with their elements.
fn among(index: &Table, mask: &Table, extents: &[u32]) -> Vec<(u64, u32)> {
    let [numbers, mask] = [index, mask].map(|lanes| lanes.spread(extents, extents.len()));
    let lanes = (0u64..).zip(numbers.iter().copied());
    lanes.filter(|&(lane, _)| mask[lane as usize] != 0).collect()
}
