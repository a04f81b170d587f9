//! Loads of neighbours: read by one access before the first statement that wants one of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Key, Open, Seen, Touched, Vectoriser, close};
use crate::passes::walk;
use crate::program::{BinOp, Block, ExprId, Range, Stmt, StmtKind};
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
    pub(super) fn join_loads(&mut self, list: Block, seen: Vec<Seen>) -> (Block, Vec<Seen>) {
        let (mut open, mut changes) = (Open::new(), Changes::default());
        for (at, (stmt, seen)) in list.iter().zip(&seen).enumerate() {
            // A loop's test loads more than once.
            let loads = if matches!(stmt.kind, StmtKind::SeqWhile { .. }) { &[][..] } else { &seen.loads };
            for &(load, array, index) in loads {
                if let Some((key, distance)) = self.place(array, index) {
                    open.entry(key).or_default().push(Read { at, load, index, distance });
                }
            }
            let Touched { waits, writes, .. } = &seen.touched;
            let closed = close(&mut open, |array| *waits || writes.contains(&array));
            closed.into_iter().for_each(|(key, reads)| self.vectors(&key, &reads, &mut changes));
        }
        open.into_iter().for_each(|(key, reads)| self.vectors(&key, &reads, &mut changes));
        self.changed(list, seen, changes)
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

    fn changed(&mut self, list: Block, seen: Vec<Seen>, mut changes: Changes) -> (Block, Vec<Seen>) {
        if changes.before.is_empty() {
            return (list, seen);
        }
        let mut out = (Vec::with_capacity(list.len()), Vec::with_capacity(list.len()));
        for (at, (mut stmt, mut seen)) in list.into_iter().zip(seen).enumerate() {
            for kind in changes.before.remove(&at).unwrap_or_default() {
                out.1.push(Seen::of(self.p, &kind));
                out.0.push(Stmt::new(kind, stmt.span));
            }
            if let Some(instead) = changes.instead.get(&at) {
                stmt = self.with(stmt, instead);
                seen = Seen::with_nested(self.p, &stmt);
            }
            out.0.push(stmt);
            out.1.push(seen);
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
