//! Copies of neighbours: begun by one instruction where the last of them was. What a copy reads nothing writes, and nothing touches
//! what it writes before it is waited for, so later is as good.

use std::collections::{BTreeMap, BTreeSet};

use super::{Key, Seen, Vectoriser, aligned};
use crate::program::{ArrayId, Block, Expr, ExprId, Stmt, StmtKind};

/// A copy of one element: the statement's number in the list, what it does, and its distance from what neighbours share.
#[derive(Clone, Copy)]
struct Copy {
    at: usize,
    index: ExprId,
    value: ExprId,
    distance: u32,
}

/// What copies share that may become one: where to, where from, and how much further the one is than the other.
type Pair = (Key, Key, u32);

impl Vectoriser<'_> {
    pub(super) fn join_copies(&mut self, list: Block, seen: Vec<Seen>) -> (Block, Vec<Seen>) {
        if !list.iter().any(|stmt| matches!(stmt.kind, StmtKind::Copy { .. })) {
            return (list, seen);
        }
        let (mut open, mut changes) = (BTreeMap::new(), BTreeMap::new());
        for (at, (stmt, Seen { touched, .. })) in list.iter().zip(&seen).enumerate() {
            if touched.waits {
                self.copied(std::mem::take(&mut open), &mut changes);
            }
            if let StmtKind::Copy { array, index, value, count: 1 } = stmt.kind
                && let Some((pair, distance)) = self.pair(array, index, value)
            {
                open.entry(pair).or_insert_with(Vec::new).push(Copy { at, index, value, distance });
            }
        }
        self.copied(open, &mut changes);
        changed(list, seen, changes)
    }

    fn pair(&mut self, array: ArrayId, index: ExprId, value: ExprId) -> Option<(Pair, u32)> {
        let Expr::Load(from, at) = self.p.exprs.expr(value) else { return None };
        let ((to, distance), (from, behind)) = (self.place(array, index)?, self.place(from, at)?);
        Some(((to, from, behind.wrapping_sub(distance)), distance))
    }

    /// Notes what becomes of copies: of each that is joined, either nothing is left or the joined one is there.
    fn copied(&mut self, open: BTreeMap<Pair, Vec<Copy>>, changes: &mut BTreeMap<usize, Option<StmtKind>>) {
        for ((to, from, further), copies) in open {
            let distances: BTreeSet<u32> = copies.iter().map(|c| c.distance).collect();
            if distances.len() < copies.len() {
                continue;
            }
            // What is a multiple on the one side must be one on the other.
            let apart = 1u32.checked_shl(further.trailing_zeros()).unwrap_or(u32::MAX);
            let widest = self.widest(&to).min(self.widest(&from)).min(apart);
            for (first, n) in aligned(&distances, widest) {
                let mut own: Vec<Copy> =
                    copies.iter().copied().filter(|c| c.distance.wrapping_sub(first) < n).collect();
                own.sort_unstable_by_key(|c| c.distance);
                let last = own.iter().map(|c| c.at).max().unwrap_or(own[0].at);
                let joined = StmtKind::Copy { array: to.0, index: own[0].index, value: own[0].value, count: n };
                changes.extend(own.iter().map(|c| (c.at, None)));
                changes.insert(last, Some(joined));
            }
        }
    }
}

fn changed(list: Block, seen: Vec<Seen>, mut changes: BTreeMap<usize, Option<StmtKind>>) -> (Block, Vec<Seen>) {
    let mut out = (Vec::with_capacity(list.len()), Vec::with_capacity(list.len()));
    for (at, (stmt, seen)) in list.into_iter().zip(seen).enumerate() {
        let kind = match changes.remove(&at) {
            Some(None) => continue,
            Some(Some(joined)) => joined,
            None => stmt.kind,
        };
        out.0.push(Stmt { kind, ..stmt });
        out.1.push(seen);
    }
    out
}
