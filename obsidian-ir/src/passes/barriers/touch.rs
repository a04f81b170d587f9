//! Touches: the cells of memory that a site reaches, thread by thread.
//!
//! Takes sites (`access`) and the layout; gives cells of shared memory, numbered through the block's bytes, so that
//! arrays on one place meet. Global arrays that are updated have a window of cells each behind these, for the elements
//! about a block's first; a block's barriers need not order the elements of other blocks.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use crate::level::Level;
use crate::passes::access::{Effects, Kind, Loads, Site, Sites, Team};
use crate::passes::index::{Sum, Table, lanes_of};
use crate::program::{ArrayId, Expr, ExprId, ParamKind, Program, ScalarType, Space, StmtKind};

/// Some threads of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Who(pub(super) u32);

/// Several threads of one warp: this and its number.
const WARP: u32 = 1 << 16;
/// Threads of several warps, or it is not known whose.
const MANY: u32 = 1 << 17;

impl Who {
    pub(super) const MANY: Who = Who(MANY);
    /// No bit set: the others are added to it.
    pub(super) const NOBODY: Who = Who(0);
    /// From here on, more than one thread.
    pub(super) const SEVERAL: u32 = WARP;

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

    /// The thread, if there is one; for several threads, a value that no thread equals.
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
    Exact { first: Vec<u32>, who: Rc<[u32]>, width: u32 },
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
    /// Whole arrays and all threads, as a compiler that knows arrays only would see them.
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
    /// Teams by the loops they come from.
    known: RefCell<Vec<(Vec<u32>, Teams)>>,
    /// Of each global array: the part of the index that is the same for all of a block, and the element of the first cell.
    anchors: RefCell<BTreeMap<ArrayId, (Vec<Term>, u32)>>,
}

/// Cells of a global array: the number of elements of a block's part that are distinguished.
const WINDOW: u32 = 1 << 12;

impl<'p> Map<'p> {
    pub(super) fn new(p: &'p Program, grain: Grain) -> Map<'p> {
        let shared = |a: &&crate::program::Array| matches!(a.space, Space::Shared(_));
        let unit = p.arrays.iter().filter(shared).map(|a| a.elem.bytes()).min().unwrap_or(4);
        let all = Effects::of_block(&p.body, &Loads::new(&p.exprs));
        let both: BTreeSet<ArrayId> =
            all.writes.union(&all.atomics).copied().filter(|&a| is_updated(p, &all, a)).collect();
        let first = p.arrays.iter().filter(shared).filter_map(|a| end(p, a)).max().unwrap_or(0).div_ceil(unit);
        let global: BTreeMap<ArrayId, u32> = both.into_iter().zip((first..).step_by(WINDOW as usize)).collect();
        Map {
            p,
            grain,
            unit,
            cells: first + global.len() as u32 * WINDOW,
            global,
            known: RefCell::default(),
            anchors: RefCell::default(),
        }
    }

    /// The reach of a site; `None`: no other thread can meet it there.
    pub(super) fn touch(&self, site: &Site, sites: &mut Sites<'_>) -> Option<Touch> {
        let array = self.p.array(site.array);
        let whole = match array.space {
            // Arrays in lanes are registers by now.
            Space::Local | Space::Lanes | Space::Registers => return None,
            Space::Global(_) => {
                let cell = *self.global.get(&site.array)?;
                cell..cell + WINDOW
            }
            // The barriers of `stages` are there for these.
            Space::Shared(_) if array.stages > 1 && site.kind == Kind::Write => return None,
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

    /// The threads that may touch an unknown element.
    fn anyone(&self) -> Who {
        if self.grain == Grain::Arrays { Who::MANY } else { self.everyone() }
    }

    fn exact(&self, site: &Site, whole: &Range<u32>, sites: &mut Sites<'_>) -> Option<Cells> {
        let array = self.p.array(site.array);
        let index = site.index.as_ref()?;
        let lanes = lanes_of(&site.extents);
        if !sites.budget().take(lanes) {
            return None;
        }
        let (per_lane, teams) = match site.team {
            Team::Threads(dims) => (lanes_of(&site.extents[dims..]), self.teams(&site.extents[..dims])?),
            Team::Everyone => (1u64, self.crowd(&site.extents)?),
            Team::Unknown => return None,
        };
        let (len, width, origin) = match array.space {
            Space::Global(_) => (WINDOW, 1, self.anchor(site.array, index)?),
            _ => (self.p.exprs.as_u32(array.len)?, array.elem.bytes() / self.unit, 0),
        };
        let copy = if array.space == Space::Shared(Level::Warp) { len * width } else { 0 };
        let index = if matches!(array.space, Space::Global(_)) { &index.rest } else { index.as_known()? };
        let plain = copy == 0 && per_lane == 1 && site.guard.mask.as_uniform() == Some(1);
        let depth = site.extents.len();
        let (index, mask) = (index.spread(&site.extents, depth), site.guard.mask.spread(&site.extents, depth));
        let (index, mask): (&[u32], &[u32]) = (&index, &mask);
        let (whos, copies): (&[u32], &[u32]) = (&teams.0, &teams.1);
        let (mut first, mut who) = (vec![0; index.len()], vec![0; if plain { 0 } else { index.len() }]);
        let (mut lane, mut team, mut inner, mut found) = (0, 0, 0, 0);
        while lane < index.len() {
            if mask[lane] != 0 {
                let element = index[lane].wrapping_sub(origin);
                if element >= len {
                    return None;
                }
                first[found] = whole.start + copies[team] * copy + element * width;
                if !plain {
                    who[found] = whos[team];
                }
                found += 1;
            }
            lane += 1;
            inner += 1;
            if inner == per_lane {
                (inner, team) = (0, team + 1);
            }
        }
        first.truncate(found);
        who.truncate(found);
        let who = if plain { Rc::clone(&teams.0) } else { who.into() };
        Some(Cells::Exact { first, who, width })
    }

    /// The element of a global array's first cell, for an index whose unknown part is the array's: the same in all of a
    /// block, whatever loops it is in.
    fn anchor(&self, array: ArrayId, index: &Sum) -> Option<u32> {
        let exprs = &self.p.exprs;
        let blocks = |v| self.p.body.iter().any(|s| matches!(s.kind, StmtKind::DistrPar { var, .. } if var == v));
        let steady = |e: &ExprId| match exprs.expr(*e) {
            Expr::Var(v) => blocks(v),
            expr => matches!(expr, Expr::Scalar(_) | Expr::Len(_)),
        };
        let lasts = |(symbols, c): &Term| symbols.iter().all(steady) && c.as_uniform().is_some();
        if !index.terms.iter().all(lasts) {
            return None;
        }
        let mut anchors = self.anchors.borrow_mut();
        let (terms, origin) = anchors.entry(array).or_insert_with(|| {
            let first = match &index.rest {
                Table::Affine { base, .. } => *base,
                Table::Listed { values, .. } => values.first().copied().unwrap_or(0),
            };
            (index.terms.clone(), first.wrapping_sub(WINDOW / 4))
        });
        (*terms == index.terms).then_some(*origin)
    }

    /// For each instance its thread, and which copy of its warp's arrays it uses.
    fn teams(&self, extents: &[u32]) -> Option<Teams> {
        if let Some((_, known)) = self.known.borrow().iter().find(|(e, _)| e == extents) {
            return Some(known.clone());
        }
        let (warps, lanes) = (self.p.warps(), self.p.lanes());
        let made: Teams = match *extents {
            [n] => ((0..n).map(|i| i % self.p.threads).collect(), Rc::from(vec![0; n as usize])),
            [n, each] => {
                let of = |w: u32| (0..each).map(move |i| w % warps * 32 + i % lanes);
                let copy = |w: u32| (0..each).map(move |_| w % warps);
                ((0..n).flat_map(of).collect(), (0..n).flat_map(copy).collect())
            }
            _ => return None,
        };
        self.known.borrow_mut().push((extents.to_vec(), made.clone()));
        Some(made)
    }

    /// As [`Map::teams`], of statements that all threads of a block, or of each warp, run.
    fn crowd(&self, extents: &[u32]) -> Option<Teams> {
        match *extents {
            [] => Some((Rc::from([self.everyone().0]), Rc::from([0]))),
            [n] => {
                let of = |w: u32| if self.p.lanes() == 1 { w * 32 } else { Who::warp(w).0 };
                let warp = |w: u32| w % self.p.warps();
                Some(((0..n).map(|w| of(warp(w))).collect(), (0..n).map(warp).collect()))
            }
            _ => None,
        }
    }
}

/// A coefficient and its symbols.
type Term = (Rc<[ExprId]>, Table);

/// For each instance, who it is, and the copy of its warp's arrays.
type Teams = (Rc<[u32]>, Rc<[u32]>);

/// Whether the order of touches of a global array can matter: not of an output that is only written.
fn is_updated(p: &Program, all: &Effects, array: ArrayId) -> bool {
    let Space::Global(param) = p.array(array).space else { return false };
    if matches!(p.param(param).kind, ParamKind::Fault(_)) {
        // The first to change it is the only one to write it, and nobody reads it.
        return false;
    }
    let output = matches!(p.param(param).kind, ParamKind::Output { .. });
    !output || all.reads.contains(&array) || all.atomics.contains(&array)
}

/// The byte behind a shared array with all its copies.
fn end(p: &Program, array: &crate::program::Array) -> Option<u32> {
    let Space::Shared(level) = array.space else { return None };
    let copies = if level == Level::Warp { p.warps() } else { 1 };
    Some(array.offset? + p.exprs.as_u32(array.len)? * array.elem.bytes() * copies)
}
