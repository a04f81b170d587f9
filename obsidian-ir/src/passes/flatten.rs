//! Flattening: a deep nest of branches becomes reads and writes under one condition each, and choices.
//!
//! Needs: a form for GPUs after `schedule`. Ensures: each thread reads and writes the same elements, in the same order; no nest of
//! branches without loops and barriers is deeper than `MAX_DEPTH`. A thread executes all of a flattened nest, but reads and writes
//! only where its branch is taken.
//!
//! Why: the threads of a warp that go apart in a nest meet again level by level, and the machine has 16 registers for the places
//! where they do. For a deeper nest ptxas spills these, and of such code an H100 gave wrong results, as if threads had passed a
//! barrier before others had stored (`benches/results/gpu-2026-11-27.md`).
//!
//! ```text
//! local t; if c { let x = a[i]                let x = if c { a[i] }
//!   if x == 0 { t = b[i] } else { t = x } }   let d = c && x == 0
//! else { t = y }                          =>  let z = if d { b[i] }
//!                                             t = if c { if d { z } else { x } } else { y }
//! ```

use super::walk;
use crate::diag::Span;
use crate::program::{BinOp, Block, Const, Expr, ExprId, Program, Range, Stmt, StmtKind, UnOp, VarId};
use crate::tables::HashMap;

/// The deepest nest of branches that stays: with the loops and levels around it ptxas spilt at about 12.
const MAX_DEPTH: usize = 8;

/// Flattens the deep nests.
pub fn run(program: &mut Program) {
    let body = std::mem::take(&mut program.body);
    program.body = list(program, body);
}

fn list(p: &mut Program, block: Block) -> Block {
    let mut out = Vec::with_capacity(block.len());
    for mut stmt in block {
        match stmt.kind {
            StmtKind::If { cond, then, els } if is_deep(&then, &els) => {
                let values = HashMap::default();
                let mut flat = Flattener { p, out: &mut out, values, own: Vec::new(), span: stmt.span };
                flat.branch(None, cond, &then, &els);
                flat.finish();
            }
            _ => {
                walk::nested_mut(&mut stmt.kind).for_each(|inner| *inner = list(p, std::mem::take(inner)));
                out.push(stmt);
            }
        }
    }
    out
}

fn is_deep(then: &Block, els: &Block) -> bool {
    1 + depth(then).max(depth(els)) > MAX_DEPTH && is_plain(then) && is_plain(els)
}

/// How deep the branches of a list are nested.
fn depth(block: &Block) -> usize {
    let of = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If { then, els, .. } => 1 + depth(then).max(depth(els)),
        _ => 0,
    };
    block.iter().map(of).max().unwrap_or(0)
}

/// Whether a list has no loops, barriers and exchanges.
fn is_plain(block: &Block) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::If { then, els, .. } => is_plain(then) && is_plain(els),
        StmtKind::Let { .. } | StmtKind::Set { .. } | StmtKind::Local { .. } => true,
        StmtKind::Assign { .. } | StmtKind::Atomic { old: None, .. } => true,
        _ => false,
    })
}

/// Whether a value may be computed only where the code asks for it: it reads, or divides by what may be 0, which C does not define.
fn must_be_asked_for(p: &Program, value: ExprId) -> bool {
    let divides = |id| match p.exprs.expr(id) {
        Expr::Bin(BinOp::Div | BinOp::Rem, _, by) => !p.exprs.ty(id).is_float() && p.exprs.as_const(by).is_none(),
        _ => false,
    };
    p.exprs.loads(value) || walk::reachable(&p.exprs, [value], |_| false).into_iter().any(divides)
}

/// A nest on its way into one list.
struct Flattener<'a> {
    p: &'a mut Program,
    out: &'a mut Block,
    /// What the variables of the nest, and those that it sets, hold at this point.
    values: HashMap<VarId, ExprId>,
    /// The variables that are declared in the nest.
    own: Vec<VarId>,
    span: Span,
}

impl Flattener<'_> {
    /// A branch that is reached where `path` holds, or always.
    fn branch(&mut self, path: Option<ExprId>, cond: ExprId, then: &Block, els: &Block) {
        let cond = self.value(path, cond);
        let not = self.p.exprs.un(UnOp::Not, cond);
        let before = self.values.clone();
        self.side(path, cond, then);
        let after_then = std::mem::replace(&mut self.values, before);
        self.side(path, not, els);
        self.join(cond, after_then);
    }

    /// One side of a branch. Both conditions together are named where something is done under them.
    fn side(&mut self, path: Option<ExprId>, cond: ExprId, block: &Block) {
        let plain = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Let { value, .. } | StmtKind::Set { value, .. } => !must_be_asked_for(self.p, *value),
            StmtKind::Local { init, .. } => init.is_none_or(|init| !must_be_asked_for(self.p, init)),
            _ => false,
        };
        let taken = if block.iter().all(plain) { cond } else { self.both(path, cond) };
        self.block(taken, block);
    }

    /// What the variables hold behind a branch, of which the values so far are those of the second side.
    fn join(&mut self, cond: ExprId, then: HashMap<VarId, ExprId>) {
        let mut set: Vec<VarId> = then.keys().chain(self.values.keys()).copied().collect();
        set.sort_unstable();
        set.dedup();
        for var in set {
            let held = self.p.exprs.var(var);
            let [a, b] = [then.get(&var), self.values.get(&var)].map(|side| side.copied());
            let value = match (a, b) {
                (Some(a), Some(b)) if a == b => a,
                // What one side alone has declared is not read behind it.
                (Some(only), None) | (None, Some(only)) if self.own.contains(&var) => only,
                (a, b) => {
                    let chosen = self.p.exprs.select(cond, a.unwrap_or(held), b.unwrap_or(held));
                    self.named(chosen)
                }
            };
            self.values.insert(var, value);
        }
    }

    fn block(&mut self, path: ExprId, block: &Block) {
        for stmt in block {
            self.span = stmt.span;
            match &stmt.kind {
                StmtKind::Let { var, value } | StmtKind::Local { var, init: Some(value) } => {
                    let value = self.value(Some(path), *value);
                    self.own.push(*var);
                    self.values.insert(*var, value);
                }
                // It is set before it is read.
                StmtKind::Local { var, init: None } => {
                    let zero = self.p.exprs.constant(Const { ty: self.p.var(*var).ty, bits: 0 });
                    self.own.push(*var);
                    self.values.insert(*var, zero);
                }
                StmtKind::Set { var, value } => {
                    let value = self.value(Some(path), *value);
                    self.values.insert(*var, value);
                }
                StmtKind::If { cond, then, els } => self.branch(Some(path), *cond, then, els),
                _ => self.effect(path, stmt.clone()),
            }
        }
    }

    /// A value as it is now, named where it is worth it.
    fn value(&mut self, path: Option<ExprId>, value: ExprId) -> ExprId {
        let now = self.present(value);
        match path {
            Some(path) if must_be_asked_for(self.p, now) => self.asked_for(path, now),
            _ => self.named(now),
        }
    }

    /// A value over what the variables hold.
    fn present(&mut self, value: ExprId) -> ExprId {
        let mut new: HashMap<ExprId, ExprId> = HashMap::default();
        for id in walk::reachable(&self.p.exprs, [value], |_| false) {
            let made = match self.p.exprs.expr(id) {
                Expr::Var(var) => self.values.get(&var).copied().unwrap_or(id),
                _ => walk::rebuild(&mut self.p.exprs, id, |operand| new[&operand]),
            };
            self.p.exprs.coordinates.inherit(made, id);
            new.insert(id, made);
        }
        new[&value]
    }

    /// `local v; if path { v = value } else { v = 0 }`.
    fn asked_for(&mut self, path: ExprId, value: ExprId) -> ExprId {
        let (ty, range) = (self.p.exprs.ty(value), self.p.exprs.range(value));
        let zero = self.p.exprs.constant(Const { ty, bits: 0 });
        let range = Range::new(range.lo.min(0), range.hi.max(0));
        let var = self.p.new_var("t", ty, true, range);
        self.push(StmtKind::Local { var, init: None });
        let [then, els] = [value, zero].map(|value| vec![Stmt::new(StmtKind::Set { var, value }, self.span)]);
        self.push(StmtKind::If { cond: path, then, els });
        self.p.exprs.var(var)
    }

    /// `if path { stmt }`.
    fn effect(&mut self, path: ExprId, mut stmt: Stmt) {
        walk::direct_mut(&mut stmt.kind).for_each(|value| *value = self.present(*value));
        self.push(StmtKind::If { cond: path, then: vec![stmt], els: Vec::new() });
    }

    /// `let v = value`, unless it is a name already.
    fn named(&mut self, value: ExprId) -> ExprId {
        if walk::is_leaf(self.p.exprs.expr(value)) {
            return value;
        }
        let (ty, range) = (self.p.exprs.ty(value), self.p.exprs.range(value));
        let var = self.p.new_var("t", ty, false, range);
        self.push(StmtKind::Let { var, value });
        self.p.exprs.var(var)
    }

    fn both(&mut self, path: Option<ExprId>, cond: ExprId) -> ExprId {
        let both = path.map_or(cond, |path| self.p.exprs.bin(BinOp::And, path, cond));
        self.named(both)
    }

    fn push(&mut self, kind: StmtKind) {
        self.out.push(Stmt::new(kind, self.span));
    }

    /// Sets what was declared before the nest.
    fn finish(mut self) {
        let own = std::mem::take(&mut self.own);
        let mut set: Vec<(VarId, ExprId)> = self.values.iter().map(|(&var, &value)| (var, value)).collect();
        set.retain(|(var, _)| !own.contains(var));
        set.sort_unstable();
        for (var, value) in set {
            self.push(StmtKind::Set { var, value });
        }
    }
}

#[cfg(test)]
mod tests;
