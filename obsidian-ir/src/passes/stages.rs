//! Stages: what a round of a block's loop loads is on its way while earlier rounds are at work (`Array::stages`).
//!
//! Needs: a proved program, before `pad` and `layout`. Ensures: the same meaning, and arrays in stages only where as many tiles lie in
//! shared memory: where the target copies by itself and a round loads elements as they are, `Copy`s to all tiles but one are on their
//! way (`stages/copies.rs`). A barrier in front of each round makes those that have arrived visible, and tells that the tile of the round
//! before is free; one in front of the loop tells that all tiles are. So no write to them needs another, and `barriers` asks for none.
//! Else a round's elements wait in registers, loaded while the round before is at work (`stages/registers.rs`). A loop for which neither can be
//! done stays as it is.
//!
//! ```text
//! seq k in 0..n                             seq s in 0..2 { if s < n { copy s1[s * 64 + ..] = xs[s * 64 + ..] }; commit }
//!   shared s1: f32[64] in 3 stages          seq k in 0..n
//!   forall t < 64 { s1[t] = xs[k * 64 + t] }  =>  await 1; sync
//!   forall t < 64 { .. s1[t] .. }             if n - k > 2 { copy s1[(k + 2) % 3 * 64 + ..] = .. }; commit
//!                                             forall t < 64 { .. s1[k % 3 * 64 + t] .. }
//! ```

mod copies;
mod registers;

use super::walk;
use crate::diag::Span;
use crate::level::Level;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Exprs, Program, ScalarType, Space, Stmt, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// Whether a program wants stages at all.
pub fn any(program: &Program) -> bool {
    program.arrays.iter().any(|array| array.stages > 1)
}

/// The same program with one round after the other.
pub fn in_turn(program: &mut Program) {
    program.arrays.iter_mut().for_each(|array| array.stages = 1);
}

/// Whether there are copies that go on by themselves.
pub fn any_copies(list: &[Stmt]) -> bool {
    let mut found = false;
    walk::each(list, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Copy { .. }));
    found
}

/// Has loads begin before their round.
pub fn run(program: &mut Program) {
    let mut trial = program.clone();
    Stager::new(&mut trial, Registers::Taken).program();
    if super::registers::fit(&trial).is_err() {
        trial = program.clone();
        Stager::new(&mut trial, Registers::Left).program();
    }
    *program = trial;
}

/// Whether elements may wait in registers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Registers {
    Taken,
    Left,
}

/// A loop of a block: what its rounds load, and what they do with it.
struct Loop<'s> {
    var: VarId,
    /// The number of rounds.
    n: ExprId,
    /// What is loaded.
    tiles: Vec<ArrayId>,
    stages: u32,
    /// Loops over the block's threads that write the tiles.
    load: &'s [Stmt],
    /// The rest of a round.
    work: &'s [Stmt],
    span: Span,
}

struct Stager<'p> {
    p: &'p mut Program,
    registers: Registers,
    /// Arrays that the program writes.
    written: HashSet<ArrayId>,
    /// The arrays that have got several tiles.
    tiles: HashSet<ArrayId>,
}

impl Stager<'_> {
    fn new(p: &mut Program, registers: Registers) -> Stager<'_> {
        let written = written(&p.body);
        Stager { p, registers, written, tiles: HashSet::default() }
    }

    fn program(&mut self) {
        let body = std::mem::take(&mut self.p.body);
        self.p.body = self.list(body);
        // A round alone is no loop.
        for (array, id) in self.p.arrays.iter_mut().zip(0..) {
            if !self.tiles.contains(&ArrayId(id)) {
                array.stages = 1;
            }
        }
    }

    fn list(&mut self, list: Block) -> Block {
        let mut out = Vec::with_capacity(list.len());
        for mut stmt in list {
            if !matches!(stmt.kind, StmtKind::ForAll { .. }) {
                walk::nested_mut(&mut stmt.kind).for_each(|inner| *inner = self.list(std::mem::take(inner)));
            }
            let Some(staged) = self.staged(&stmt) else {
                out.push(stmt);
                continue;
            };
            out.extend(staged);
        }
        out
    }

    fn staged(&mut self, stmt: &Stmt) -> Option<Block> {
        let mut staged = Loop::of(self.p, stmt)?;
        if !self.may_begin_early(&staged) {
            return None;
        }
        // Rounds ask how many there are, and may change what that is read from.
        let (n, mut out) = (staged.n, Vec::new());
        if !lasts(self.p, n, |array| self.is_input(array)) {
            let var = self.p.new_var("rounds", ScalarType::U32, false, self.p.exprs.range(n));
            out.push(made(StmtKind::Let { var, value: n }, staged.span));
            staged.n = self.p.exprs.var(var);
        }
        let copied = if self.p.options.target.has_async_copies() { self.with_copies(&staged) } else { None };
        let made = match copied {
            None if self.registers == Registers::Taken => self.with_registers(&staged),
            copied => copied,
        };
        out.extend(made?);
        Some(out)
    }

    /// Whether an array is a buffer that nothing writes.
    fn is_input(&self, array: ArrayId) -> bool {
        matches!(self.p.array(array).space, Space::Global(_)) && !self.written.contains(&array)
    }

    /// Whether the loads of a round give the same before the rounds in front of it: they read and set nothing that these change.
    fn may_begin_early(&self, staged: &Loop<'_>) -> bool {
        let (mut own, mut alone) = (HashSet::default(), true);
        walk::each(staged.load, &mut |stmt| match &stmt.kind {
            StmtKind::Set { var, .. } => alone &= own.contains(var),
            StmtKind::Atomic { .. } => alone = false,
            kind => own.extend(walk::bound(kind)),
        });
        let kept = |array: ArrayId| self.p.array(array).space == Space::Local || !self.written.contains(&array);
        let steady = |id: ExprId| match self.p.exprs.expr(id) {
            Expr::Var(var) => !self.p.var(var).mutable || own.contains(&var),
            Expr::Load(array, _) => kept(array),
            _ => true,
        };
        let written = written(staged.load);
        let writes_tiles = written.iter().all(|a| staged.tiles.contains(a) || self.p.array(*a).space == Space::Local);
        let read = walk::reachable(&self.p.exprs, walk::evaluated(staged.load), |_| false);
        alone && writes_tiles && read.into_iter().all(steady)
    }
}

/// The arrays that some statements write.
fn written(list: &[Stmt]) -> HashSet<ArrayId> {
    let mut written = HashSet::default();
    walk::each(list, &mut |stmt| written.extend(walk::written(&stmt.kind)));
    written
}

impl<'s> Loop<'s> {
    /// The loop that a statement is, if its rounds begin by loading arrays in stages.
    fn of(p: &Program, stmt: &'s Stmt) -> Option<Loop<'s>> {
        let StmtKind::SeqFor { var, start, end, step, body } = &stmt.kind else { return None };
        if (p.exprs.as_u32(*start), p.exprs.as_u32(*step)) != (Some(0), Some(1)) {
            return None;
        }
        let tile = |stmt: &Stmt| match stmt.kind {
            StmtKind::Allocate { array } if p.array(array).stages > 1 => Some(array),
            _ => None,
        };
        let tiles: Vec<ArrayId> = body.iter().map_while(tile).collect();
        let stages = p.array(*tiles.first()?).stages;
        let after = &body[tiles.len()..];
        let writes = |stmt: &Stmt| written(std::slice::from_ref(stmt)).iter().any(|a| tiles.contains(a));
        let loads = after.iter().rposition(writes)? + 1;
        let (load, work) = after.split_at(loads);
        let threads = |stmt: &Stmt| matches!(stmt.kind, StmtKind::ForAll { level: Level::Block, .. });
        let plain = load.iter().all(threads) && tiles.iter().all(|a| p.exprs.as_u32(p.array(*a).len).is_some());
        plain.then_some(Loop { var: *var, n: *end, tiles, stages, load, work, span: stmt.span })
    }
}

/// Makes expressions and statements anew, with each access to an array that is there several times further on.
struct Further<'p> {
    exprs: &'p mut Exprs,
    /// Where the elements begin.
    base: HashMap<ArrayId, ExprId>,
    new: HashMap<ExprId, ExprId>,
}

impl Further<'_> {
    fn block(&mut self, list: &[Stmt]) -> Block {
        let mut list = list.to_vec();
        for stmt in &mut list {
            for e in walk::direct_mut(&mut stmt.kind) {
                *e = self.expr(*e);
            }
            walk::nested_mut(&mut stmt.kind).for_each(|inner| *inner = self.block(inner));
            if let Some((array, index)) = walk::element_mut(&mut stmt.kind)
                && let Some(&base) = self.base.get(array)
            {
                *index = self.exprs.bin(BinOp::Add, base, *index);
            }
        }
        list
    }

    fn expr(&mut self, root: ExprId) -> ExprId {
        let new = &self.new;
        for id in walk::reachable(self.exprs, [root], |id| new.contains_key(&id)) {
            let plain = walk::rebuild(self.exprs, id, |x| self.new.get(&x).copied().unwrap_or(x));
            self.exprs.coordinates.inherit(plain, id);
            let made = match self.exprs.expr(plain) {
                Expr::Load(array, index) if self.base.contains_key(&array) => {
                    let ty = self.exprs.ty(plain);
                    let index = self.exprs.bin(BinOp::Add, self.base[&array], index);
                    let load = self.exprs.load(array, index, ty);
                    self.exprs.inherit_place(load, id);
                    load
                }
                _ => plain,
            };
            self.new.insert(id, made);
        }
        self.new.get(&root).copied().unwrap_or(root)
    }
}

/// Whether a value stays the same: it reads variables that nothing sets, and arrays that are `kept`.
fn lasts(p: &Program, value: ExprId, kept: impl Fn(ArrayId) -> bool) -> bool {
    walk::reachable(&p.exprs, [value], |_| false).into_iter().all(|id| match p.exprs.expr(id) {
        Expr::Var(var) => !p.var(var).mutable,
        Expr::Load(array, _) => kept(array),
        _ => true,
    })
}

/// What immutable variables stand for inside of a list, in terms of what is known outside.
#[derive(Default)]
struct Opened(HashMap<ExprId, ExprId>);

impl Opened {
    /// Opens a variable where what it stands for is the same further on.
    fn learn(&mut self, p: &mut Program, var: VarId, value: ExprId) {
        if lasts(p, value, |array| p.array(array).space != Space::Local) {
            let (name, value) = (p.exprs.var(var), self.of(p, value));
            self.0.insert(name, value);
        }
    }

    fn of(&mut self, p: &mut Program, root: ExprId) -> ExprId {
        let mut new = self.0.clone();
        for id in walk::reachable(&p.exprs, [root], |id| self.0.contains_key(&id)) {
            let made = walk::rebuild(&mut p.exprs, id, |x| new.get(&x).copied().unwrap_or(x));
            p.exprs.coordinates.inherit(made, id);
            p.exprs.inherit_place(made, id);
            new.entry(id).or_insert(made);
        }
        new.get(&root).copied().unwrap_or(root)
    }
}

/// A statement of the compiler's.
fn made(kind: StmtKind, span: Span) -> Stmt {
    Stmt::new(kind, span)
}

#[cfg(test)]
mod tests;
