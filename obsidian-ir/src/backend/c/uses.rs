//! Which variables and arrays a body really uses, so that the C declares nothing it does not need (compilers warn).

use super::dialect::Fence;
use crate::passes::walk::{self, Kind};
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

    /// The accesses that barriers must make visible.
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
        if let Some(touch) = walk::touch(kind) {
            self.arrays.insert(touch.array);
            let set = if touch.kind == Kind::Read { &mut self.read } else { &mut self.written };
            set.insert(touch.array);
        }
        match kind {
            // A variable that nothing reads is left out, and so is what only its value reads.
            StmtKind::Let { var, .. }
            | StmtKind::Local { var, .. }
            | StmtKind::Set { var, .. }
            | StmtKind::Shuffle { var, .. }
                if !self.reads(*var) =>
            {
                return;
            }
            _ => {}
        }
        walk::direct(kind).for_each(|e| self.expr(p, e));
        walk::nested(kind).for_each(|body| self.block(p, body));
    }

    fn expr(&mut self, p: &Program, id: ExprId) {
        if std::mem::replace(&mut self.seen[id.0 as usize], true) {
            return;
        }
        let e = p.exprs.expr(id);
        match e {
            Expr::Var(v) => {
                self.vars.insert(v);
            }
            Expr::Load(array, _) => {
                self.arrays.insert(array);
                self.read.insert(array);
            }
            _ => {}
        }
        walk::operands(e).for_each(|operand| self.expr(p, operand));
    }
}

/// Whether the value stays the same while statements run: no memory, no mutable variable.
pub(super) fn is_stable(p: &Program, id: ExprId) -> bool {
    match p.exprs.expr(id) {
        Expr::Load(..) => false,
        Expr::Var(v) => !p.var(v).mutable,
        e => walk::operands(e).all(|operand| is_stable(p, operand)),
    }
}
