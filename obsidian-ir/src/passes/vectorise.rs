//! Vectors: accesses of a thread to 2 or 4 neighbours in global or shared memory become one access, as ptxas does not do it
//! for global memory.
//!
//! Needs: machine, group or sub-group form after `schedule`, or that with levels, every buffer aligned to [`BUFFER_ALIGN`]. Ensures: the same meaning; each vector lies at
//! a multiple of its size, which is proved from the index modulo powers of two, so that no length needs to be known. Loads
//! go up to the first of them, stores down to the last, inside one list of statements, never across a barrier, nor across
//! anything that touches their array. Source: CUDA C++ programming guide, device memory accesses; PTX ISA, `ld` and `st`.
//!
//! ```text
//! out[t] = xs[t + 3]
//! out[t + 1] = xs[t + 2]                  let a, b, c, d = xs[t ..]
//! out[t + 2] = xs[t + 1]              =>  out[t ..] = d, c, b, a
//! out[t + 3] = xs[t]                      (t is a multiple of 4)
//! ```

mod copies;
mod loads;
mod stores;

use std::collections::{BTreeMap, BTreeSet};

use super::index::{Facts, Form};
use super::walk;
use crate::level::Level;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, ScalarType, Space, Stmt, StmtKind};

/// The address of every buffer is a multiple of this many bytes; the launch guarantees it.
pub const BUFFER_ALIGN: u32 = 16;

/// The most bytes of one access (PTX ISA, vectors).
const MAX_BYTES: u32 = 16;

/// Joins accesses to neighbours.
pub fn run(program: &mut Program) {
    let facts = Facts::of(program);
    let mut body = std::mem::take(&mut program.body);
    let before = program.vars.len();
    (body, _) = Vectoriser { p: program, facts }.list(body);
    if program.vars.len() > before || super::stages::any_copies(&body) {
        drop_unread(program, &mut body, &mut Read::nothing(program));
    }
    program.body = body;
}

/// Drops names that only removed indices read. `read` holds what later statements read.
fn drop_unread(p: &Program, list: &mut Block, read: &mut Read) {
    let mut kept = Vec::with_capacity(list.len());
    while let Some(mut stmt) = list.pop() {
        if matches!(stmt.kind, StmtKind::Let { var, .. } if !read.vars[var.0 as usize]) {
            continue;
        }
        // A loop's test is done again after its body.
        read.add(p, walk::direct(&stmt.kind));
        let mut inner: Vec<&mut Block> = walk::nested_mut(&mut stmt.kind).collect();
        inner.reverse();
        inner.into_iter().for_each(|inner| drop_unread(p, inner, read));
        kept.push(stmt);
    }
    kept.reverse();
    *list = kept;
}

/// The expressions that some statements evaluate, and the variables among them, by number.
struct Read {
    exprs: Vec<bool>,
    vars: Vec<bool>,
}

impl Read {
    fn nothing(p: &Program) -> Read {
        Read { exprs: vec![false; p.exprs.len()], vars: vec![false; p.vars.len()] }
    }

    /// Adds what `roots` hold. What was added before is not entered again.
    fn add(&mut self, p: &Program, roots: impl Iterator<Item = ExprId>) {
        let mut todo: Vec<ExprId> = roots.collect();
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut self.exprs[id.0 as usize], true) {
                continue;
            }
            match p.exprs.expr(id) {
                Expr::Var(v) => self.vars[v.0 as usize] = true,
                e => todo.extend(walk::operands(e)),
            }
        }
    }
}

struct Vectoriser<'p> {
    p: &'p mut Program,
    facts: Facts,
}

/// An array, and the part of an index that neighbours share.
type Key = (ArrayId, Vec<(ExprId, u32)>);

impl Vectoriser<'_> {
    /// Joins the accesses of a list and of the blocks inside; also which arrays the list touches.
    fn list(&mut self, mut list: Block) -> (Block, Touched) {
        let (mut all, mut seen) = (Touched::default(), Vec::with_capacity(list.len()));
        for stmt in &mut list {
            let mut found = Seen::of(self.p, &stmt.kind);
            for inner in walk::nested_mut(&mut stmt.kind) {
                let (joined, touched) = self.list(std::mem::take(inner));
                *inner = joined;
                found.touched.merge(&touched);
            }
            all.merge(&found.touched);
            seen.push(found);
        }
        let (list, seen) = self.join_copies(list, seen);
        let (list, seen) = self.join_loads(list, seen);
        (self.join_stores(list, &seen), all)
    }

    /// What neighbours of an element share, and its distance from there; `None` where the element cannot be in a vector.
    fn place(&mut self, array: ArrayId, index: ExprId) -> Option<(Key, u32)> {
        let a = self.p.array(array);
        if !in_memory(a.space) || a.elem == ScalarType::Bool {
            return None;
        }
        let Form { terms, constant } = self.facts.form(self.p, index)?;
        Some(((array, terms), constant))
    }

    /// Where levels are left, each warp has a copy of its arrays behind the others': the powers of two in its length.
    fn zeros_of_copies(&self, array: ArrayId) -> u32 {
        let a = self.p.array(array);
        let copied = a.space == Space::Shared(Level::Warp) && self.p.warps() > 1;
        if copied { self.p.exprs.as_u32(a.len).map_or(0, u32::trailing_zeros) } else { 32 }
    }

    /// The most elements of a vector at a multiple of its length from what neighbours share.
    fn widest(&mut self, (array, terms): &Key) -> u32 {
        let (bytes, offset) = (self.p.array(*array).elem.bytes(), self.p.array(*array).offset.unwrap_or(0));
        let base = terms.iter().map(|&(e, k)| self.facts.zeros(self.p, e) + k.trailing_zeros()).min().unwrap_or(32);
        let base = base.min(self.zeros_of_copies(*array));
        let fits = |n: &u32| n * bytes <= MAX_BYTES && offset.is_multiple_of(n * bytes) && base >= n.trailing_zeros();
        [4, 2].into_iter().find(fits).unwrap_or(1)
    }

    /// The vectors, as first distance and number of elements, that the elements at these distances make up: aligned, wide ones
    /// first, each element in one.
    fn windows(&mut self, key: &Key, found: &BTreeSet<u32>) -> Vec<(u32, u32)> {
        if found.len() < 2 {
            return Vec::new();
        }
        aligned(found, self.widest(key))
    }
}

/// Windows of at most `widest` distances, each at a multiple of its length: as [`Vectoriser::windows`].
fn aligned(found: &BTreeSet<u32>, widest: u32) -> Vec<(u32, u32)> {
    let (mut left, mut windows) = (found.clone(), Vec::new());
    for n in [4, 2].into_iter().filter(|&n| n <= widest) {
        // An aligned window never wraps, since 2^32 is a multiple of it.
        let firsts: Vec<u32> = left.iter().copied().filter(|c| c.is_multiple_of(n)).collect();
        for first in firsts {
            let window = first..=first + (n - 1);
            if window.clone().all(|c| left.contains(&c)) {
                left.retain(|c| !window.contains(c));
                windows.push((first, n));
            }
        }
    }
    windows
}

fn in_memory(space: Space) -> bool {
    matches!(space, Space::Global(_) | Space::Shared(_))
}

/// Arrays that a statement touches, with all that is nested in it.
#[derive(Default)]
struct Touched {
    reads: BTreeSet<ArrayId>,
    writes: BTreeSet<ArrayId>,
    waits: bool,
}

impl Touched {
    fn merge(&mut self, other: &Touched) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.waits |= other.waits;
    }
}

/// A load: the expression, its array and its index.
type Load = (ExprId, ArrayId, ExprId);

/// What a statement does with memory.
#[derive(Default)]
struct Seen {
    /// With all that is nested in it.
    touched: Touched,
    /// The loads that it does itself.
    loads: Vec<Load>,
}

impl Seen {
    /// Of a statement without the blocks inside.
    fn of(p: &Program, kind: &StmtKind) -> Seen {
        let mut seen = Seen::default();
        let exprs = &p.exprs;
        let mut loading = walk::direct(kind).filter(|&e| exprs.loads(e)).peekable();
        if loading.peek().is_some() {
            for id in walk::reachable(exprs, loading, |id| !exprs.loads(id)) {
                if let Expr::Load(array, index) = exprs.expr(id) {
                    seen.touched.reads.insert(array);
                    // What a copy reads goes through no register.
                    if !matches!(kind, StmtKind::Copy { value, .. } if *value == id) {
                        seen.loads.push((id, array, index));
                    }
                }
            }
        }
        if let Some(touch) = walk::touch(kind) {
            seen.touched.reads.extend((touch.kind != walk::Kind::Write).then_some(touch.array));
            seen.touched.writes.extend((touch.kind != walk::Kind::Read).then_some(touch.array));
        }
        seen.touched.waits = matches!(kind, StmtKind::Sync { .. } | StmtKind::Commit | StmtKind::Await { .. });
        seen
    }

    /// Of a statement with the blocks inside.
    fn with_nested(p: &Program, stmt: &Stmt) -> Seen {
        let mut seen = Seen::of(p, &stmt.kind);
        for inner in walk::nested(&stmt.kind).flatten() {
            seen.touched.merge(&Seen::with_nested(p, inner).touched);
        }
        seen
    }
}

/// Accesses that may still become vectors, by what their elements share.
type Open<T> = BTreeMap<Key, Vec<T>>;

/// Takes those out whose array `closes`.
fn close<T>(open: &mut Open<T>, closes: impl Fn(ArrayId) -> bool) -> Open<T> {
    let (closed, left) = std::mem::take(open).into_iter().partition(|((array, _), _)| closes(*array));
    *open = left;
    closed
}
