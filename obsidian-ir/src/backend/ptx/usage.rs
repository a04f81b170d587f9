//! What a program's statements touch: which arrays are read and written, which leaves are read, and which local arrays
//! are only ever indexed by constants. In: a program. Out: the table that decides what the prologue declares and how
//! elements are loaded.

use crate::passes::walk::{self, Kind, Touch};
use crate::program::{ArrayId, Expr, ExprId, Program, Space, Stmt};
use crate::tables::{HashMap, HashSet};

/// How an array is used.
#[derive(Debug, Default, Clone, Copy)]
struct Access {
    written: bool,
    /// Some index is not a constant, or the access is atomic.
    dynamic: bool,
}

/// Whether an access changes the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Read,
    Write,
}

/// What the statements of a program use.
#[derive(Debug, Default)]
pub(super) struct Usage {
    arrays: HashMap<ArrayId, Access>,
    leaves: HashSet<Expr>,
    seen: HashSet<ExprId>,
}

impl Usage {
    pub(super) fn of(p: &Program) -> Usage {
        let mut u = Usage::default();
        u.block(p, &p.body);
        u
    }

    /// Whether any statement reads or writes the array.
    pub(super) fn touches(&self, a: ArrayId) -> bool {
        self.arrays.contains_key(&a)
    }

    /// Whether any statement writes the array.
    pub(super) fn writes(&self, a: ArrayId) -> bool {
        self.arrays.get(&a).is_some_and(|x| x.written)
    }

    /// Whether every index into the array is a constant, so that its elements can be registers.
    pub(super) fn all_constant(&self, a: ArrayId) -> bool {
        self.arrays.get(&a).is_none_or(|x| !x.dynamic)
    }

    /// Whether a leaf (scalar, length, machine register) is read.
    pub(super) fn reads(&self, leaf: Expr) -> bool {
        self.leaves.contains(&leaf)
    }

    /// Whether any shared array is touched.
    pub(super) fn any_shared(&self, p: &Program) -> bool {
        self.arrays.keys().any(|&a| super::is_shared(p.array(a).space))
    }

    fn access(&mut self, p: &Program, a: ArrayId, index: ExprId, how: How) {
        let array = p.array(a);
        let inside = match (p.exprs.as_u32(index), p.exprs.as_u32(array.len)) {
            (Some(i), Some(n)) => i < n,
            _ => false,
        };
        let entry = self.arrays.entry(a).or_default();
        entry.written |= how == How::Write;
        entry.dynamic |= !inside;
    }

    fn block(&mut self, p: &Program, body: &[Stmt]) {
        for s in body {
            self.stmt(p, s);
        }
    }

    fn stmt(&mut self, p: &Program, s: &Stmt) {
        if let Some(Touch { array, kind, index, .. }) = walk::touch(&s.kind) {
            self.access(p, array, index, if kind == Kind::Read { How::Read } else { How::Write });
            let in_place = kind == Kind::Atomic && p.array(array).space == Space::Local;
            self.arrays.entry(array).or_default().dynamic |= in_place;
        }
        walk::direct(&s.kind).for_each(|e| self.expr(p, e));
        walk::nested(&s.kind).for_each(|body| self.block(p, body));
    }

    fn expr(&mut self, p: &Program, id: ExprId) {
        if !self.seen.insert(id) {
            return;
        }
        let e = p.exprs.expr(id);
        match e {
            Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_) => {
                self.leaves.insert(e);
            }
            Expr::Load(array, index) => self.access(p, array, index, How::Read),
            _ => {}
        }
        walk::operands(e).for_each(|operand| self.expr(p, operand));
    }
}
