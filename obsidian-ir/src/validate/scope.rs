//! Rules of names: a variable is bound before it is read, an array allocated before it is used, both until the end of their
//! list of statements.

use super::{Checked, broken};
use crate::diag::Span;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId, walk};
use crate::tables::{HashMap, HashSet};

/// Checks the whole program.
pub(super) fn check(p: &Program) -> Checked {
    let mut allocated = HashSet::default();
    walk::each(&p.body, &mut |stmt| {
        if let StmtKind::Allocate { array } = stmt.kind {
            allocated.insert(array);
        }
    });
    // Buffers live as long as the kernel; so do arrays that a pass has added for all of it, which no statement allocates.
    let whole = |a: &ArrayId| matches!(p.array(*a).space, Space::Global(_)) || !allocated.contains(a);
    let arrays: HashSet<ArrayId> = (0..p.arrays.len() as u32).map(ArrayId).filter(whole).collect();
    let mut scope = Scope { p, vars: HashSet::default(), arrays, reads: HashMap::default() };
    scope.list(&p.body)
}

/// What is in scope.
struct Scope<'p> {
    p: &'p Program,
    vars: HashSet<VarId>,
    arrays: HashSet<ArrayId>,
    /// The variables and arrays that expressions mention.
    reads: HashMap<ExprId, (Vec<VarId>, Vec<ArrayId>)>,
}

impl Scope<'_> {
    /// A list; what it binds is gone after it.
    fn list(&mut self, list: &Block) -> Checked {
        self.open(list).map(|(vars, arrays)| self.close((vars, arrays)))
    }

    fn close(&mut self, (vars, arrays): (Vec<VarId>, Vec<ArrayId>)) {
        vars.iter().for_each(|v| {
            self.vars.remove(v);
        });
        arrays.iter().for_each(|a| {
            self.arrays.remove(a);
        });
    }

    /// A list, with what it binds still in scope.
    fn open(&mut self, list: &Block) -> Result<(Vec<VarId>, Vec<ArrayId>), super::Broken> {
        let (mut vars, mut arrays) = (Vec::new(), Vec::new());
        for stmt in list {
            self.stmt(stmt)?;
            match &stmt.kind {
                StmtKind::SeqFor { .. }
                | StmtKind::ForAll { .. }
                | StmtKind::DistrPar { .. }
                | StmtKind::Set { .. } => {}
                StmtKind::Allocate { array } => {
                    if self.arrays.insert(*array) {
                        arrays.push(*array);
                    }
                }
                kind => vars.extend(walk::bound(kind).filter(|v| self.vars.insert(*v))),
            }
        }
        Ok((vars, arrays))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Checked {
        if let StmtKind::SeqWhile { head, cond, body } = &stmt.kind {
            let bound = self.open(head)?;
            self.read(*cond, stmt.span)?;
            self.list(body)?;
            self.close(bound);
            return Ok(());
        }
        for id in walk::direct(&stmt.kind) {
            self.read(id, stmt.span)?;
        }
        if let (Some(array), false) = (walk::array(&stmt.kind), matches!(stmt.kind, StmtKind::Allocate { .. })) {
            self.used(array, stmt.span)?;
        }
        match &stmt.kind {
            StmtKind::Set { var, .. } if !self.vars.contains(var) => {
                broken(stmt.span, format!("`{}` is set where it is not declared", self.p.var(*var).name))
            }
            StmtKind::SeqFor { var, body, .. }
            | StmtKind::ForAll { var, body, .. }
            | StmtKind::DistrPar { var, body, .. } => {
                let new = self.vars.insert(*var);
                self.list(body)?;
                self.close((if new { vec![*var] } else { Vec::new() }, Vec::new()));
                Ok(())
            }
            kind => walk::nested(kind).try_for_each(|inner| self.list(inner)),
        }
    }

    fn used(&self, array: ArrayId, span: Span) -> Checked {
        if self.arrays.contains(&array) {
            return Ok(());
        }
        broken(span, format!("`{}` is used where it is not allocated", self.p.array(array).name))
    }

    fn read(&mut self, root: ExprId, span: Span) -> Checked {
        let p = self.p;
        let found = self.reads.entry(root).or_insert_with(|| mentions(p, root));
        if let Some(v) = found.0.iter().find(|v| !self.vars.contains(v)) {
            return broken(span, format!("`{}` is read where it is not bound", p.var(*v).name));
        }
        let arrays = found.1.clone();
        arrays.into_iter().try_for_each(|a| self.used(a, span))
    }
}

fn mentions(p: &Program, root: ExprId) -> (Vec<VarId>, Vec<ArrayId>) {
    let (mut vars, mut arrays) = (Vec::new(), Vec::new());
    for id in walk::reachable(&p.exprs, [root], |_| false) {
        match p.exprs.expr(id) {
            Expr::Var(v) => vars.push(v),
            Expr::Load(a, _) => arrays.push(a),
            _ => {}
        }
    }
    (vars, arrays)
}
