//! Touches: the cells of memory that a site reaches, thread by thread.
//!
//! Takes sites (`access`) and the layout; gives cells of shared memory, numbered through the block's bytes, so that
//! arrays on one place meet. Global arrays that are read and written have one cell each behind these: blocks and
//! threads are not told apart there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use crate::level::Level;
use crate::passes::access::{Effects, Kind, Loads, Site, Sites, Team, lanes_of};
use crate::program::{ArrayId, Program, ScalarType, Space};

/// Some threads of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Who(u32);

/// Several threads of one warp: this and its number.
const WARP: u32 = 1 << 16;
/// Threads of several warps, or it is not known whose.
const MANY: u32 = 1 << 17;

impl Who {
    pub(super) const MANY: Who = Who(MANY);

    fn thread(t: u32) -> Who {
        Who(t)
    }

    fn warp(w: u32) -> Who {
        Who(WARP | w)
    }

    /// The warp that all of them are in.
    fn in_warp(self) -> Option<u32> {
        match self.0 {
            MANY.. => None,
            WARP.. => Some(self.0 - WARP),
            t => Some(t / 32),
        }
    }

    /// Whether some may be of one warp.
    pub(super) fn meets(self, other: Who) -> bool {
        match (self.in_warp(), other.in_warp()) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }

    /// Themselves where they are one thread; nobody's equal where they are several.
    pub(super) fn single(self) -> Who {
        if self.0 < WARP { self } else { Who(u32::MAX) }
    }

    /// The least level that both are in; `None`: they are one thread.
    pub(super) fn least_level(self, other: Who) -> Option<Level> {
        if self == other.single() {
            return None;
        }
        let same = self.in_warp().is_some() && self.in_warp() == other.in_warp();
        Some(if same { Level::Warp } else { Level::Block })
    }

    /// Both.
    pub(super) fn with(self, other: Who) -> Who {
        match (self.in_warp(), other.in_warp()) {
            _ if self == other => self,
            (Some(a), Some(b)) if a == b => Who::warp(a),
            _ => Who::MANY,
        }
    }
}

/// Where a touch reaches.
#[derive(Debug, Clone)]
pub(super) enum Cells {
    /// The first of `width` cells, and who, for each lane.
    Exact { first: Vec<u32>, who: Vec<Who>, width: u32 },
    /// Any of them.
    Range(Range<u32>, Who),
}

/// One site's reach.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    pub(super) kind: Kind,
    /// The array's elements.
    pub(super) ty: ScalarType,
    pub(super) cells: Cells,
}

/// How exactly to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grain {
    Elements,
    /// Whole arrays, all threads: the habit that is improved on.
    Arrays,
}

/// The numbering of cells.
pub(super) struct Map<'p> {
    p: &'p Program,
    grain: Grain,
    /// Bytes of a cell.
    unit: u32,
    /// Cells of global arrays that are read and written.
    global: BTreeMap<ArrayId, u32>,
    pub(super) cells: u32,
}

impl<'p> Map<'p> {
    pub(super) fn new(p: &'p Program, grain: Grain) -> Map<'p> {
        let shared = |a: &&crate::program::Array| matches!(a.space, Space::Shared(_));
        let unit = p.arrays.iter().filter(shared).map(|a| a.elem.bytes()).min().unwrap_or(4);
        let mut all = Effects::of_block(&p.body, &Loads::new(&p.exprs));
        all.writes.extend(std::mem::take(&mut all.atomics));
        let both: BTreeSet<ArrayId> = all.reads.intersection(&all.writes).copied().collect();
        let both = both.into_iter().filter(|&a| matches!(p.array(a).space, Space::Global(_)));
        let first = p.arrays.iter().filter(shared).filter_map(|a| end(p, a)).max().unwrap_or(0).div_ceil(unit);
        let global: BTreeMap<ArrayId, u32> = both.zip(first..).collect();
        Map { p, grain, unit, cells: first + global.len() as u32, global }
    }

    /// The reach of a site; `None`: no other thread can meet it there.
    pub(super) fn touch(&self, site: &Site, sites: &mut Sites<'_>) -> Option<Touch> {
        let array = self.p.array(site.array);
        let whole = match array.space {
            Space::Local => return None,
            Space::Global(_) => {
                let cell = *self.global.get(&site.array)?;
                cell..cell + 1
            }
            Space::Shared(_) => {
                let first = array.offset? / self.unit;
                first..end(self.p, array)?.div_ceil(self.unit)
            }
        };
        let exact = if self.grain == Grain::Elements { self.exact(site, &whole, sites) } else { None };
        let cells = exact.unwrap_or_else(|| Cells::Range(whole, self.anyone()));
        Some(Touch { kind: site.kind, ty: array.elem, cells })
    }

    fn everyone(&self) -> Who {
        match self.p.threads {
            1 => Who::thread(0),
            2..=32 => Who::warp(0),
            _ => Who::MANY,
        }
    }

    /// Whom a touch of an unknown element is by.
    fn anyone(&self) -> Who {
        if self.grain == Grain::Arrays { Who::MANY } else { self.everyone() }
    }

    fn exact(&self, site: &Site, whole: &Range<u32>, sites: &mut Sites<'_>) -> Option<Cells> {
        let array = self.p.array(site.array);
        let (Space::Shared(level), Some(index)) = (array.space, site.index.as_ref()?.as_known()) else { return None };
        let lanes = lanes_of(&site.extents);
        if !sites.budget().take(lanes) {
            return None;
        }
        let (per_lane, teams) = match site.team {
            Team::Threads(dims) => (lanes_of(&site.extents[dims..]), self.teams(&site.extents[..dims])?),
            Team::Everyone => (1, self.crowd(&site.extents)?),
            Team::Unknown => return None,
        };
        let per_lane = per_lane.max(1) as usize;
        let len = self.p.exprs.as_u32(array.len)?;
        let width = array.elem.bytes() / self.unit;
        let depth = site.extents.len();
        let index = index.spread(&site.extents, depth);
        let mask = match &site.guard.mask {
            all if all.as_uniform() == Some(1) => None,
            some => Some(some.spread(&site.extents, depth)),
        };
        let (mut first, mut who) = (Vec::with_capacity(index.len()), Vec::with_capacity(index.len()));
        for (team, all) in index.chunks(per_lane).enumerate() {
            let (threads, copy) = teams[team];
            let start = whole.start + if level == Level::Warp { copy * len * width } else { 0 };
            for (k, &i) in all.iter().enumerate() {
                if mask.as_ref().is_some_and(|m| m[team * per_lane + k] == 0) {
                    continue;
                }
                if i >= len {
                    return None;
                }
                first.push(start + i * width);
                who.push(threads);
            }
        }
        Some(Cells::Exact { first, who, width })
    }

    /// For each instance its thread, and which copy of its warp's arrays it uses.
    fn teams(&self, extents: &[u32]) -> Option<Rc<[(Who, u32)]>> {
        let (warps, lanes) = (self.p.warps(), self.p.lanes());
        match *extents {
            [n] => Some((0..n).map(|i| (Who::thread(i % self.p.threads), 0)).collect()),
            [n, each] => {
                let of = |w: u32| (0..each).map(move |i| (Who::thread(w % warps * 32 + i % lanes), w % warps));
                Some((0..n).flat_map(of).collect())
            }
            _ => None,
        }
    }

    /// As [`Map::teams`], of statements that all threads of a block, or of each warp, run.
    fn crowd(&self, extents: &[u32]) -> Option<Rc<[(Who, u32)]>> {
        match *extents {
            [] => Some(Rc::from([(self.everyone(), 0)])),
            [n] => {
                let of = |w: u32| if self.p.lanes() == 1 { Who::thread(w * 32) } else { Who::warp(w) };
                Some((0..n).map(|w| w % self.p.warps()).map(|w| (of(w), w)).collect())
            }
            _ => None,
        }
    }
}

/// The byte behind a shared array with all its copies.
fn end(p: &Program, array: &crate::program::Array) -> Option<u32> {
    let Space::Shared(level) = array.space else { return None };
    let copies = if level == Level::Warp { p.warps() } else { 1 };
    Some(array.offset? + p.exprs.as_u32(array.len)? * array.elem.bytes() * copies)
}
