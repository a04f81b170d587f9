//! Which variables and arrays a body really uses, so that the C declares nothing it does not need (compilers warn).

use super::dialect::Fence;
use crate::passes::walk;
use crate::program::{ArrayId, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::HashSet;

/// Variables that are read, and arrays that are touched.
#[derive(Default)]
pub(super) struct Uses {
    vars: HashSet<VarId>,
    arrays: HashSet<ArrayId>,
    written: HashSet<ArrayId>,
    read: HashSet<ArrayId>,
    /// By expression.
    seen: Vec<bool>,
}

impl Uses {
    /// Those of the program. A variable that only feeds variables nobody reads is not used.
    pub(super) fn of(p: &Program) -> Uses {
        let mut uses = Uses { seen: vec![false; p.exprs.len()], ..Uses::default() };
        loop {
            let before = uses.vars.len();
            uses.block(p, &p.body);
            if uses.vars.len() == before {
                return uses;
            }
        }
    }

    pub(super) fn reads(&self, var: VarId) -> bool {
        self.vars.contains(&var)
    }

    pub(super) fn touches(&self, array: ArrayId) -> bool {
        self.arrays.contains(&array)
    }

    /// What barriers must make seen.
    pub(super) fn fence(&self, p: &Program) -> Fence {
        let shared =
            self.written.iter().all(|a| !matches!(p.array(*a).space, Space::Global(_)) || !self.read.contains(a));
        if shared { Fence::Shared } else { Fence::Everything }
    }

    fn block(&mut self, p: &Program, body: &[Stmt]) {
        for stmt in body {
            self.stmt(p, &stmt.kind);
        }
    }

    fn stmt(&mut self, p: &Program, kind: &StmtKind) {
        match kind {
            StmtKind::LoadVector { array, index, .. } => {
                self.arrays.insert(*array);
                self.read.insert(*array);
                self.expr(p, *index);
            }
            StmtKind::Assign { array, .. } | StmtKind::Atomic { array, .. } | StmtKind::StoreVector { array, .. } => {
                self.arrays.insert(*array);
                self.written.insert(*array);
                walk::direct(kind).for_each(|e| self.expr(p, e));
            }
            StmtKind::Let { var, value }
            | StmtKind::Local { var, init: Some(value) }
            | StmtKind::Set { var, value } => {
                if self.reads(*var) {
                    self.expr(p, *value);
                }
            }
            StmtKind::Shuffle { var, value, lane, .. } => {
                if self.reads(*var) {
                    self.expr(p, *value);
                    self.expr(p, *lane);
                }
            }
            StmtKind::If { cond, then, els } => {
                self.expr(p, *cond);
                self.block(p, then);
                self.block(p, els);
            }
            StmtKind::SeqFor { start, end, step, body, .. } => {
                [start, end, step].into_iter().for_each(|&e| self.expr(p, e));
                self.block(p, body);
            }
            StmtKind::SeqWhile { head, cond, body } => {
                self.block(p, head);
                self.expr(p, *cond);
                self.block(p, body);
            }
            StmtKind::ForAll { n, body, .. } | StmtKind::DistrPar { n, body, .. } => {
                self.expr(p, *n);
                self.block(p, body);
            }
            StmtKind::Local { init: None, .. } | StmtKind::Allocate { .. } | StmtKind::Sync { .. } => {}
        }
    }

    fn expr(&mut self, p: &Program, id: ExprId) {
        if std::mem::replace(&mut self.seen[id.0 as usize], true) {
            return;
        }
        match p.exprs.expr(id) {
            Expr::Var(v) => {
                self.vars.insert(v);
            }
            Expr::Load(array, index) => {
                self.arrays.insert(array);
                self.read.insert(array);
                self.expr(p, index);
            }
            Expr::Un(_, a) | Expr::Cast(a) | Expr::Bits(a) => self.expr(p, a),
            Expr::Bin(_, a, b) => [a, b].into_iter().for_each(|e| self.expr(p, e)),
            Expr::Select(a, b, c) | Expr::MulAdd(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(p, e)),
            Expr::Const(_) | Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_) => {}
        }
    }
}

/// Whether the value stays the same while statements run: no memory, no mutable variable.
pub(super) fn is_stable(p: &Program, id: ExprId) -> bool {
    match p.exprs.expr(id) {
        Expr::Load(..) => false,
        Expr::Var(v) => !p.var(v).mutable,
        Expr::Un(_, a) | Expr::Cast(a) | Expr::Bits(a) => is_stable(p, a),
        Expr::Bin(_, a, b) => is_stable(p, a) && is_stable(p, b),
        Expr::Select(a, b, c) | Expr::MulAdd(a, b, c) => is_stable(p, a) && is_stable(p, b) && is_stable(p, c),
        Expr::Const(_) | Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_) => true,
    }
}
