//! Loads of neighbours: read by one access before the first statement that wants one of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Key, Open, Touched, Vectoriser, close};
use crate::passes::walk;
use crate::program::{BinOp, Block, Expr, ExprId, Range, Stmt, StmtKind};
use crate::tables::HashMap;

/// A load: the statement's number in the list, the expression, its distance from what neighbours share.
#[derive(Clone, Copy)]
struct Read {
    at: usize,
    load: ExprId,
    index: ExprId,
    distance: u32,
}

/// What goes in front of a statement, and what stands for the loads of which.
#[derive(Default)]
struct Changes {
    before: BTreeMap<usize, Vec<StmtKind>>,
    instead: HashMap<usize, HashMap<ExprId, ExprId>>,
}

impl Vectoriser<'_> {
    pub(super) fn join_loads(&mut self, list: Block) -> Block {
        let (mut open, mut changes) = (Open::new(), Changes::default());
        for (at, stmt) in list.iter().enumerate() {
            for (load, array, index) in self.loaded_once(&stmt.kind) {
                if let Some((key, distance)) = self.place(array, index) {
                    open.entry(key).or_default().push(Read { at, load, index, distance });
                }
            }
            let touched = Touched::by(self.p, stmt);
            let closed = close(&mut open, |array| touched.waits || touched.writes.contains(&array));
            closed.into_iter().for_each(|(key, reads)| self.vectors(&key, &reads, &mut changes));
        }
        open.into_iter().for_each(|(key, reads)| self.vectors(&key, &reads, &mut changes));
        self.changed(list, changes)
    }

    /// The loads that a statement does itself, once, whatever holds.
    fn loaded_once(&self, kind: &StmtKind) -> Vec<(ExprId, crate::program::ArrayId, ExprId)> {
        if matches!(kind, StmtKind::SeqWhile { .. }) {
            return Vec::new();
        }
        let exprs = &self.p.exprs;
        let roots = walk::direct(kind).filter(|&e| exprs.loads(e));
        let all = walk::reachable(exprs, roots, |id| !exprs.loads(id)).into_iter();
        all.filter_map(|id| match exprs.expr(id) {
            Expr::Load(array, index) => Some((id, array, index)),
            _ => None,
        })
        .collect()
    }

    fn vectors(&mut self, key: &Key, reads: &[Read], changes: &mut Changes) {
        let distances: BTreeSet<u32> = reads.iter().map(|r| r.distance).collect();
        for (first, n) in self.windows(key, &distances) {
            let own = || reads.iter().filter(|r| r.distance.wrapping_sub(first) < n);
            // Names that the index of the earliest needs are known there; those of the others may not be.
            let Some(&earliest) = own().min_by_key(|r| (r.at, r.distance)) else { continue };
            let back = self.p.exprs.u32(earliest.distance - first);
            let index = self.p.exprs.bin(BinOp::Sub, earliest.index, back);
            let ty = self.p.array(key.0).elem;
            let vars: Vec<_> = (0..n).map(|_| self.p.new_var("v", ty, false, Range::full(ty))).collect();
            for read in own() {
                let value = self.p.exprs.var(vars[(read.distance - first) as usize]);
                changes.instead.entry(read.at).or_default().insert(read.load, value);
            }
            let load = StmtKind::LoadVector { vars, array: key.0, index };
            changes.before.entry(earliest.at).or_default().push(load);
        }
    }

    fn changed(&mut self, list: Block, mut changes: Changes) -> Block {
        if changes.before.is_empty() {
            return list;
        }
        let mut out = Vec::with_capacity(list.len());
        for (at, stmt) in list.into_iter().enumerate() {
            let before = changes.before.remove(&at).unwrap_or_default();
            out.extend(before.into_iter().map(|kind| Stmt::new(kind, stmt.span)));
            out.push(match changes.instead.get(&at) {
                Some(instead) => self.with(stmt, instead),
                None => stmt,
            });
        }
        out
    }

    /// The statement with other expressions for some of its own.
    fn with(&mut self, mut stmt: Stmt, instead: &HashMap<ExprId, ExprId>) -> Stmt {
        let exprs = &mut self.p.exprs;
        for root in walk::direct_mut(&mut stmt.kind) {
            let mut new = instead.clone();
            for id in walk::reachable(exprs, [*root], |id| instead.contains_key(&id)) {
                let rebuilt = walk::rebuild(exprs, id, |x| new.get(&x).copied().unwrap_or(x));
                new.insert(id, rebuilt);
            }
            *root = new.get(root).copied().unwrap_or(*root);
        }
        stmt
    }
}
