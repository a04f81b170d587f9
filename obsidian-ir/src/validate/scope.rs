//! Rules of names: a variable is bound before it is read, an array allocated before it is used, both until the end of their
//! list of statements.

use super::{Checked, broken};
use crate::diag::Span;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId, walk};
use crate::tables::HashSet;

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
    let mut scope = Scope { p, vars: HashSet::default(), arrays, known: vec![false; p.exprs.len()], log: Vec::new() };
    scope.list(&p.body)
}

/// What is in scope.
struct Scope<'p> {
    p: &'p Program,
    vars: HashSet<VarId>,
    arrays: HashSet<ArrayId>,
    /// The expressions, by number, all of whose names are in scope. They are so until the end of the list in which they were read.
    known: Vec<bool>,
    /// These, in the order in which they were found.
    log: Vec<ExprId>,
}

/// What is undone at the end of a list.
#[derive(Default)]
struct Opened {
    vars: Vec<VarId>,
    arrays: Vec<ArrayId>,
    /// The length of the log before.
    log: usize,
}

impl Scope<'_> {
    /// A list; what it binds is gone after it.
    fn list(&mut self, list: &Block) -> Checked {
        self.open(list).map(|opened| self.close(opened))
    }

    fn close(&mut self, opened: Opened) {
        for v in &opened.vars {
            self.vars.remove(v);
        }
        for a in &opened.arrays {
            self.arrays.remove(a);
        }
        for id in self.log.drain(opened.log..) {
            self.known[id.0 as usize] = false;
        }
    }

    /// A list, with what it binds still in scope.
    fn open(&mut self, list: &Block) -> Result<Opened, super::Broken> {
        let mut opened = Opened { log: self.log.len(), ..Opened::default() };
        for stmt in list {
            self.stmt(stmt)?;
            match &stmt.kind {
                StmtKind::SeqFor { .. }
                | StmtKind::ForAll { .. }
                | StmtKind::DistrPar { .. }
                | StmtKind::Set { .. } => {}
                StmtKind::Allocate { array } => {
                    if self.arrays.insert(*array) {
                        opened.arrays.push(*array);
                    }
                }
                kind => opened.vars.extend(walk::bound(kind).filter(|v| self.vars.insert(*v))),
            }
        }
        Ok(opened)
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
                let log = self.log.len();
                let vars = self.vars.insert(*var).then_some(*var).into_iter().collect();
                self.list(body)?;
                self.close(Opened { vars, log, ..Opened::default() });
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
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut self.known[id.0 as usize], true) {
                continue;
            }
            self.log.push(id);
            match self.p.exprs.expr(id) {
                Expr::Var(v) if !self.vars.contains(&v) => {
                    return broken(span, format!("`{}` is read where it is not bound", self.p.var(v).name));
                }
                Expr::Load(array, _) => self.used(array, span)?,
                _ => {}
            }
            todo.extend(walk::operands(self.p.exprs.expr(id)));
        }
        Ok(())
    }
}
