//! In place: where an array may lie on the one that it is computed from.
//!
//! Takes pairs of arrays of which the first is last used by the statement that first uses the second. Gives those where
//! each thread writes only elements that no other thread reads, and can read before it writes. The threads are virtual
//! ones; what holds for them holds for real threads that run several of them in turn.

mod chosen;

use std::collections::BTreeSet;

use crate::level::Level;
use crate::passes::access::{Effects, Kind, Loads, Purpose, Site, Sites, Team, for_alls};
use crate::passes::index::{Budget, lanes_of};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// The most touches that are analysed in one program; beyond them arrays keep places of their own.
const MAX_TOUCHES: u64 = 1 << 20;

/// An array, and the one that may take its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) old: ArrayId,
    pub(super) new: ArrayId,
}

/// The pairs of `wanted` that may share a place if [`read_first`] is then called for them.
pub(super) fn proved(program: &Program, loads: &Loads, body: &Block, wanted: &BTreeSet<Pair>) -> BTreeSet<Pair> {
    let mut finder = Finder { program, loads, wanted, found: BTreeSet::new() };
    if !wanted.is_empty() {
        let mut sites = Sites::new(program, Purpose::Order, Budget::new(MAX_TOUCHES));
        for_alls(&mut sites, body, &mut |sites, stmt, body| finder.leaf(sites, stmt, body));
    }
    finder.found
}

/// Names the reads of each `pair.old` that must be done before `pair.new` is written, wherever both are touched.
pub(super) fn read_first(program: &mut Program, loads: &Loads, body: &mut Block, pairs: impl Iterator<Item = Pair>) {
    // The same for every pair: a read gets its name in the statement that it is in.
    let mut effects = Vec::new();
    walk::each(body, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::ForAll { .. }) {
            effects.push(Effects::of(stmt, loads));
        }
    });
    pairs.for_each(|pair| read_pair_first(program, loads, body, (pair, &mut effects.iter())));
}

fn read_pair_first(
    program: &mut Program,
    loads: &Loads,
    body: &mut Block,
    (pair, effects): (Pair, &mut std::slice::Iter<'_, Effects>),
) {
    for stmt in body {
        if let StmtKind::ForAll { body, .. } = &mut stmt.kind {
            let both = |e: &Effects| e.reads.contains(&pair.old) && e.writes.contains(&pair.new);
            if !effects.next().is_some_and(both) {
                continue;
            }
            let Some(Order { at, first }) = order(program, loads, body, pair) else { continue };
            let named: Vec<Stmt> = first.into_iter().map(|value| named(program, value, body[at].span)).collect();
            body.splice(at..at, named);
        } else {
            walk::nested_mut(&mut stmt.kind)
                .for_each(|inner| read_pair_first(program, loads, inner, (pair, &mut *effects)));
        }
    }
}

fn named(program: &mut Program, value: ExprId, span: crate::diag::Span) -> Stmt {
    let (ty, range) = (program.exprs.ty(value), program.exprs.range(value));
    let var = program.new_var("t", ty, false, range);
    Stmt::new(StmtKind::Let { var, value }, span)
}

struct Finder<'p> {
    program: &'p Program,
    loads: &'p Loads,
    wanted: &'p BTreeSet<Pair>,
    found: BTreeSet<Pair>,
}

impl Finder<'_> {
    fn leaf(&mut self, sites: &mut Sites<'_>, stmt: &Stmt, body: &Block) {
        let Effects { reads, writes, atomics } = Effects::of(stmt, self.loads);
        let only_read = |a: &ArrayId| reads.contains(a) && !writes.contains(a) && !atomics.contains(a);
        let only_written = |a: &ArrayId| writes.contains(a) && !reads.contains(a) && !atomics.contains(a);
        let here = self.wanted.iter().filter(|p| only_read(&p.old) && only_written(&p.new));
        let here: Vec<Pair> =
            here.copied().filter(|&pair| order(self.program, self.loads, body, pair).is_some()).collect();
        if here.is_empty() {
            return;
        }
        let found = sites.leaf(stmt);
        let of = |array, kind| found.iter().filter(move |s: &&Site| s.array == array && s.kind == kind);
        for pair in here {
            let (reads, writes) = (of(pair.old, Kind::Read).collect(), of(pair.new, Kind::Write).collect());
            if apart(self.program, sites, reads, writes) {
                self.found.insert(pair);
            }
        }
    }
}

/// Whether no thread reads an element that another writes.
fn apart(p: &Program, sites: &mut Sites<'_>, reads: Vec<&Site>, writes: Vec<&Site>) -> bool {
    let all = || writes.iter().chain(&reads).copied();
    let Some(first) = all().next() else { return false };
    let (Team::Threads(dims), Some(index)) = (first.team, &first.index) else { return false };
    let steady = index.terms.iter().all(|(_, c)| c.as_uniform().is_some());
    let alike = |s: &Site| s.team == first.team && s.index.as_ref().is_some_and(|i| i.terms == index.terms);
    let lanes = all().map(|s| lanes_of(&s.extents)).fold(0, u64::saturating_add);
    if !steady || !all().all(alike) || !sites.budget().take(lanes) {
        return false;
    }
    let mut owners = Owners::new(writes.first().map_or(0, |s| p.exprs.as_u32(p.array(s.array).len).unwrap_or(0)));
    let written = writes.iter().all(|s| touched(p, s, dims, |e, thread| *owners.of(e).get_or_insert(thread) == thread));
    // What a thread reads where it writes is its own.
    let own = |read: &Site| writes.iter().any(|write| are_at_one_place(p, read, write));
    let mut read = |s: &Site| touched(p, s, dims, |e, thread| owners.of(e).is_none_or(|t| t == thread));
    written && reads.iter().all(|s| own(s) || read(s))
}

/// Which thread writes each element, by the element's number. Those of the first copy are a list, since they are asked for most.
struct Owners {
    first: Vec<Option<u64>>,
    others: HashMap<u64, Option<u64>>,
}

/// The most elements that are a list.
const MAX_LISTED: u32 = 1 << 16;

impl Owners {
    fn new(len: u32) -> Owners {
        Owners { first: vec![None; len.min(MAX_LISTED) as usize], others: HashMap::default() }
    }

    fn of(&mut self, element: u64) -> &mut Option<u64> {
        match self.first.get_mut(element as usize) {
            Some(owner) => owner,
            None => self.others.entry(element).or_default(),
        }
    }
}

/// Whether something holds of each element that a site touches, a number that it has of its own in the copy of each warp, and the
/// thread that touches it.
fn touched(p: &Program, s: &Site, dims: usize, mut holds: impl FnMut(u64, u64) -> bool) -> bool {
    let inside = |dims: usize| lanes_of(&s.extents[dims..]).max(1);
    let own = s.warp.filter(|_| p.array(s.array).space == Space::Shared(Level::Warp));
    let (in_thread, in_warp) = (inside(dims), own.map(|dim| inside(dim + 1)));
    for (lane, element) in s.elements() {
        let copy = if let Some(n) = in_warp { lane / n } else { 0 };
        if !holds(copy << 32 | u64::from(element), lane / in_thread) {
            return false;
        }
    }
    true
}

/// Whether two sites touch the same elements in the same lanes.
fn are_at_one_place(p: &Program, a: &Site, b: &Site) -> bool {
    p.array(a.array).space == p.array(b.array).space
        && (&a.index, &a.extents, a.warp) == (&b.index, &b.extents, b.warp)
        && a.guard.mask == b.guard.mask
}

/// How the reads of the old array come before the writes of the new one.
struct Order {
    /// The statement of the `ForAll`'s body that writes first.
    at: usize,
    /// Loads that follow it and must be moved before it.
    first: Vec<ExprId>,
}

/// The order in the body of a `ForAll`; `None` if the reads do not come first, or if that cannot be seen here.
fn order(p: &Program, loads: &Loads, body: &Block, pair: Pair) -> Option<Order> {
    let at = body.iter().position(|s| Effects::of(s, loads).writes.contains(&pair.new))?;
    let late = (at..body.len()).filter(|&k| Effects::of(&body[k], loads).reads.contains(&pair.old));
    let late: Vec<usize> = late.collect();
    if late.iter().all(|&k| k == at) && writes_last(&body[at]) {
        return Some(Order { at, first: Vec::new() });
    }
    let plain = |s: &Stmt| matches!(s.kind, StmtKind::Assign { .. } | StmtKind::Let { .. });
    if !late.iter().all(|&k| plain(&body[k])) {
        return None;
    }
    let roots: Vec<ExprId> = late.iter().flat_map(|&k| walk::direct(&body[k].kind)).collect();
    let mut changed = BTreeSet::new();
    for stmt in body {
        let Effects { writes, atomics, .. } = Effects::of(stmt, loads);
        changed.extend(writes.into_iter().chain(atomics));
    }
    let one_value = |e: ExprId| {
        walk::reachable(&p.exprs, [e], |_| false).iter().all(|e| match p.exprs.expr(*e) {
            Expr::Var(v) => !p.var(v).mutable,
            Expr::Load(a, _) => !changed.contains(&a),
            _ => true,
        })
    };
    let first = chosen::sure_loads(p, loads, &roots, (pair.old, &one_value))?;
    let bound = |s: &Stmt| if let StmtKind::Let { var, .. } = s.kind { Some(var) } else { None };
    let bound: BTreeSet<VarId> = body[at..].iter().filter_map(bound).collect();
    let steady = |x: &ExprId| match p.exprs.expr(*x) {
        Expr::Var(v) => !p.var(v).mutable && !bound.contains(&v),
        Expr::Load(a, _) => a == pair.old,
        _ => true,
    };
    walk::reachable(&p.exprs, first.iter().copied(), |_| false).iter().all(steady).then_some(Order { at, first })
}

/// Whether a statement reads all it reads before it writes.
fn writes_last(stmt: &Stmt) -> bool {
    let alone = |branch: &Block| match branch.as_slice() {
        [] => true,
        [named @ .., last] => named.iter().all(|s| matches!(s.kind, StmtKind::Let { .. })) && writes_last(last),
    };
    match &stmt.kind {
        StmtKind::Assign { .. } => true,
        StmtKind::If { then, els, .. } => alone(then) && alone(els),
        _ => false,
    }
}
