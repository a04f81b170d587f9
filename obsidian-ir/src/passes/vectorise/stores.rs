//! Stores of neighbours: each value gets a name where it was stored, and one access after the last of them writes all.

use std::collections::BTreeSet;

use super::{Key, Open, Seen, Vectoriser, close};
use crate::program::{Block, Expr, ExprId, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// A store: the statement's number in the list, and its distance from what neighbours share.
#[derive(Clone, Copy)]
struct Write {
    at: usize,
    index: ExprId,
    value: ExprId,
    distance: u32,
}

/// What becomes of a store.
enum Change {
    /// Its value gets a name, or has one.
    Named(Option<VarId>),
    /// The same, and then the vector is stored.
    Last(Option<VarId>, StmtKind),
}

impl Vectoriser<'_> {
    pub(super) fn join_stores(&mut self, list: Block, seen: &[Seen]) -> Block {
        let (mut open, mut changes): (Open<Write>, _) = (Open::new(), HashMap::default());
        for (at, (stmt, Seen { touched, .. })) in list.iter().zip(seen).enumerate() {
            let own = match stmt.kind {
                StmtKind::Assign { array, index, value } => {
                    self.place(array, index).map(|(key, distance)| (key, Write { at, index, value, distance }))
                }
                _ => None,
            };
            // Of the same array only neighbours that are not yet written may stay open.
            let joins = own.as_ref().is_some_and(|(key, write)| {
                let others = open.keys().any(|k| k.0 == key.0 && k != key);
                let twice = open.get(key).is_some_and(|w| w.iter().any(|w| w.distance == write.distance));
                !others && !twice
            });
            let closed = close(&mut open, |array| {
                touched.waits || touched.reads.contains(&array) || touched.writes.contains(&array) && !joins
            });
            closed.into_iter().for_each(|(key, writes)| self.stored(&key, &writes, &mut changes));
            if let Some((key, write)) = own {
                open.entry(key).or_default().push(write);
            }
        }
        open.into_iter().for_each(|(key, writes)| self.stored(&key, &writes, &mut changes));
        self.sunk(list, changes)
    }

    fn stored(&mut self, key: &Key, writes: &[Write], changes: &mut HashMap<usize, Change>) {
        let distances: BTreeSet<u32> = writes.iter().map(|w| w.distance).collect();
        for (first, n) in self.windows(key, &distances) {
            let mut own: Vec<Write> = writes.iter().copied().filter(|w| w.distance.wrapping_sub(first) < n).collect();
            own.sort_unstable_by_key(|w| w.distance);
            let (index, last) = (own[0].index, own.iter().map(|w| w.at).max());
            let names: Vec<Option<VarId>> = own.iter().map(|w| self.name(w.value)).collect();
            let value = |(w, name): (&Write, &Option<VarId>)| name.map_or(w.value, |v| self.p.exprs.var(v));
            let values = own.iter().zip(&names).map(value).collect();
            let mut store = Some(StmtKind::StoreVector { array: key.0, index, values });
            for (w, name) in own.iter().zip(names) {
                let last = store.take_if(|_| Some(w.at) == last);
                changes.insert(w.at, last.map_or(Change::Named(name), |s| Change::Last(name, s)));
            }
        }
    }

    /// A new name for a value; `None` where it is a constant or a variable that keeps its value.
    fn name(&mut self, value: ExprId) -> Option<VarId> {
        match self.p.exprs.expr(value) {
            Expr::Const(_) => None,
            Expr::Var(v) if !self.p.var(v).mutable => None,
            _ => {
                let (ty, range) = (self.p.exprs.ty(value), self.p.exprs.range(value));
                Some(self.p.new_var("v", ty, false, range))
            }
        }
    }

    fn sunk(&mut self, list: Block, mut changes: HashMap<usize, Change>) -> Block {
        let mut out = Vec::with_capacity(list.len());
        for (at, stmt) in list.into_iter().enumerate() {
            let Some(change) = changes.remove(&at) else {
                out.push(stmt);
                continue;
            };
            let Stmt { kind, span, claim } = stmt;
            let (Change::Named(name) | Change::Last(name, _)) = &change;
            if let (Some(var), StmtKind::Assign { value, .. }) = (*name, kind) {
                out.push(Stmt::new(StmtKind::Let { var, value }, span));
            }
            if let Change::Last(_, store) = change {
                out.push(Stmt { kind: store, span, claim });
            }
        }
        out
    }
}
