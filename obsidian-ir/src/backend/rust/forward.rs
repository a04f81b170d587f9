//! Copies of inputs: an array of a block or a warp, each element of which is the element of one input at the same distance, is not stored. What
//! reads it reads the input.
//!
//! Needs: the native form, proved: what is read of an array has been written, and no launch writes its inputs. Ensures: the same
//! values, without the array. For processors alone: a copy is in the cache that the input is in. On a GPU shared memory is nearer.
//! No pass, so that what readers of the native form see has the author's arrays.
//!
//! ```text
//! shared s: u32[512]
//! forall i < 512 { s[i] = x[b * 512 + i] }
//! forall t < 32 { y[t] = s[16 * t] + s[16 * t + 1] }    =>    forall t < 32 { y[t] = x[b * 512 + 16 * t] + x[b * 512 + (16 * t + 1)] }
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::passes::index::{Facts, Form};
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Exprs, ParamKind, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// The program that reads inputs in place of their copies; `None` where nothing is such a copy.
pub(super) fn take(p: &Program) -> Option<Program> {
    let found = found(p);
    if found.is_empty() {
        return None;
    }
    let mut p = p.clone();
    drop_copies(&mut p.body, &found);
    walk::remake(&mut p.exprs, &mut p.body, &mut |exprs, id, _| match exprs.expr(id) {
        Expr::Load(array, index) => found.get(&array).map_or(id, |copy| copy.load(exprs, id, index)),
        _ => id,
    });
    Some(p)
}

/// As `take`, for the texts of passes.
#[cfg(test)]
pub(crate) fn run(p: &mut Program) {
    if let Some(taken) = take(p) {
        *p = taken;
    }
}

/// Of which array the elements are, and how far from their own places they lie there.
#[derive(Debug, PartialEq)]
struct Copy {
    from: ArrayId,
    distance: Form,
}

fn found(p: &Program) -> BTreeMap<ArrayId, Copy> {
    let (mut candidates, mut others) = (BTreeSet::new(), BTreeSet::new());
    walk::each(&p.body, &mut |stmt| match copied(p, &stmt.kind) {
        Some(copied) => candidates.extend([copied.to]),
        None => others.extend(walk::touch(&stmt.kind).map(|touch| touch.array)),
    });
    candidates.retain(|array| !others.contains(array));
    if candidates.is_empty() {
        return BTreeMap::new();
    }
    let lets = walk::lets(&p.body);
    for id in walk::reachable(&p.exprs, walk::evaluated(&p.body), |_| false) {
        if let Expr::Load(array, index) = p.exprs.expr(id)
            && candidates.contains(&array)
            && wants_block_memory(&p.exprs, &lets, index)
        {
            candidates.remove(&array);
        }
    }
    let mut search = Search { p, facts: Facts::of(p), candidates, around: Vec::new(), found: BTreeMap::new() };
    let mut begun = BTreeMap::new();
    search.list(&p.body, &mut begun);
    let Search { candidates, mut found, .. } = search;
    found.retain(|array, _| candidates.contains(array));
    found
}

/// Whether lanes load at such an index from the block's memory alone (`groups/memory.rs`): at one by data, or before others.
fn wants_block_memory(exprs: &Exprs, lets: &HashMap<VarId, ExprId>, index: ExprId) -> bool {
    // Each name is looked through once: of names that stand for sums of two names there are more ways than anyone can go.
    let (mut waiting, mut seen) = (vec![index], BTreeSet::new());
    while let Some(root) = waiting.pop() {
        for e in walk::reachable(exprs, [root], |_| false) {
            match exprs.expr(e) {
                Expr::Load(..) | Expr::Bin(BinOp::Sub, ..) => return true,
                Expr::Var(v) if seen.insert(v) => waiting.extend(lets.get(&v)),
                _ => {}
            }
        }
    }
    false
}

/// An element that is stored as it is loaded from an input.
struct Copied {
    to: ArrayId,
    index: ExprId,
    from: ArrayId,
    at: ExprId,
}

fn copied(p: &Program, kind: &StmtKind) -> Option<Copied> {
    let StmtKind::Assign { array: to, index, value } = *kind else { return None };
    let Expr::Load(from, at) = p.exprs.expr(value) else { return None };
    let array = p.array(to);
    let stored = matches!(array.space, Space::Shared(_)) && array.stages == 1;
    let Space::Global(param) = p.array(from).space else { return None };
    let is_input = matches!(p.param(param).kind, ParamKind::Input { .. });
    (stored && is_input).then_some(Copied { to, index, from, at })
}

struct Search<'p> {
    p: &'p Program,
    facts: Facts,
    /// Arrays of which nothing is known that speaks against it.
    candidates: BTreeSet<ArrayId>,
    /// The variables that are bound around the statement that is looked at.
    around: Vec<VarId>,
    found: BTreeMap<ArrayId, Copy>,
}

impl Search<'_> {
    /// `begun`: how many of the variables around it an array was allocated among.
    fn list(&mut self, list: &Block, begun: &mut BTreeMap<ArrayId, usize>) {
        let outside = self.around.len();
        for Stmt { kind, .. } in list {
            if let StmtKind::Allocate { array } = kind
                && begun.insert(*array, self.around.len()).is_some()
            {
                self.candidates.remove(array);
            }
            if let Some(copied) = copied(self.p, kind).filter(|copied| self.candidates.contains(&copied.to)) {
                self.look(&copied, begun.get(&copied.to).copied());
            }
            let before = self.around.len();
            self.around.extend(bound(kind));
            walk::nested(kind).for_each(|inner| self.list(inner, begun));
            if !matches!(kind, StmtKind::Let { .. }) {
                self.around.truncate(before);
            }
        }
        self.around.truncate(outside);
    }

    /// All that is written to an array is at one distance, which is known where the array begins.
    fn look(&mut self, copied: &Copied, begun: Option<usize>) {
        let copy = begun.and_then(|begun| self.copy(copied, begun));
        let same = copy.as_ref().is_some_and(|copy| self.found.get(&copied.to).is_none_or(|found| found == copy));
        match copy {
            Some(copy) if same => drop(self.found.insert(copied.to, copy)),
            _ => drop(self.candidates.remove(&copied.to)),
        }
    }

    fn copy(&mut self, copied: &Copied, begun: usize) -> Option<Copy> {
        let (at, index) = (self.facts.form(self.p, copied.at)?, self.facts.form(self.p, copied.index)?);
        let mut terms: BTreeMap<ExprId, u32> = at.terms.into_iter().collect();
        for (e, n) in index.terms {
            let own = terms.entry(e).or_default();
            *own = own.wrapping_sub(n);
        }
        terms.retain(|_, n| *n != 0);
        let known = &self.around[..begun];
        let exprs = &self.p.exprs;
        let is_known = |e: ExprId| match exprs.expr(e) {
            Expr::Var(v) => known.contains(&v),
            expr => !matches!(expr, Expr::Load(..)),
        };
        let all = walk::reachable(exprs, terms.keys().copied(), |_| false).into_iter().all(is_known);
        let constant = at.constant.wrapping_sub(index.constant);
        let distance = Form { terms: terms.into_iter().collect(), constant };
        all.then_some(Copy { from: copied.from, distance })
    }
}

/// The variable that a statement binds for what is in it or behind it.
fn bound(kind: &StmtKind) -> Option<VarId> {
    match kind {
        StmtKind::Let { var, .. }
        | StmtKind::ForAll { var, .. }
        | StmtKind::DistrPar { var, .. }
        | StmtKind::SeqFor { var, .. } => Some(*var),
        _ => None,
    }
}

/// Leaves out the copies, and what does nothing without them.
fn drop_copies(list: &mut Block, copies: &BTreeMap<ArrayId, Copy>) {
    list.retain_mut(|stmt| {
        let is_copy = match &stmt.kind {
            StmtKind::Allocate { array } | StmtKind::Assign { array, .. } => copies.contains_key(array),
            _ => false,
        };
        let mut dropped = false;
        for inner in walk::nested_mut(&mut stmt.kind) {
            let before = inner.len();
            drop_copies(inner, copies);
            dropped |= inner.len() < before;
        }
        let idle = |inner: &Block| inner.iter().all(|stmt| matches!(stmt.kind, StmtKind::Let { .. }));
        let needless = is_copy || dropped && walk::nested(&stmt.kind).all(idle);
        !needless
    });
}

impl Copy {
    /// The element of the input that `load` of the copy is.
    fn load(&self, exprs: &mut Exprs, load: ExprId, index: ExprId) -> ExprId {
        let mut at = exprs.u32(self.distance.constant);
        for &(e, n) in &self.distance.terms {
            let n = exprs.u32(n);
            let part = exprs.bin(BinOp::Mul, e, n);
            at = exprs.bin(BinOp::Add, at, part);
        }
        let (at, ty) = (exprs.bin(BinOp::Add, at, index), exprs.ty(load));
        let read = exprs.load(self.from, at, ty);
        exprs.inherit_place(read, load);
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Range, ScalarType};

    /// Names, each the sum of the two before, the first two 1 and `first`.
    fn sums(first: impl FnOnce(&mut Exprs) -> ExprId) -> bool {
        let mut p = Program::new("sums", 32);
        let one = p.exprs.u32(1);
        let (mut lets, mut last) = (HashMap::default(), [one, first(&mut p.exprs)]);
        for _ in 0..64 {
            let sum = p.exprs.bin(BinOp::Add, last[0], last[1]);
            let name = p.new_var("t", ScalarType::U32, false, Range::full(ScalarType::U32));
            lets.insert(name, sum);
            last = [last[1], p.exprs.var(name)];
        }
        wants_block_memory(&p.exprs, &lets, last[1])
    }

    #[test]
    fn names_are_looked_through_once_and_to_their_ends() {
        assert!(!sums(|exprs| exprs.u32(2)));
        assert!(sums(|exprs| exprs.load(ArrayId(0), ExprId(0), ScalarType::U32)));
    }
}
