//! Barriers: a `Sync` wherever code needs what other threads have done since the last one, and nowhere else.
//!
//! Needs: `layout` (overlaid arrays conflict). Ensures: two accesses of which one writes, to the same shared bytes or
//! to the same global array that is both read and written, are separated by a `Sync` of the level whose threads share
//! the array; also around loops, the grid's included. No `Sync` inside `ForAll`. Works on whole arrays, not elements.
//! Source: JFP 2016, where each `compute` synchronises; here by dependence.

use std::collections::{BTreeMap, BTreeSet};

use super::access::{Effects, Loads};
use super::walk;
use crate::diag::Span;
use crate::level::Level;
use crate::program::{ArrayId, Block, ExprId, Program, Space, Stmt, StmtKind};

/// Inserts `Sync` statements.
pub fn place(program: &mut Program) {
    let body = std::mem::take(&mut program.body);
    let loads = Loads::new(&program.exprs);
    let mut all = Effects::of_block(&body, &loads);
    all.writes.extend(std::mem::take(&mut all.atomics));
    let global: BTreeSet<ArrayId> = all.reads.intersection(&all.writes).copied().collect();
    let mut homes = BTreeMap::new();
    find_homes(&body, &mut 0, &mut homes);
    homes.retain(|&a, _| program.array(a).space == Space::Shared(Level::Warp));
    let placer = Placer { program, loads: &loads, global: &global, homes };
    let body = placer.list(body, Level::Block, &mut Effects::default());
    program.body = body;
}

struct Placer<'a> {
    program: &'a Program,
    loads: &'a Loads,
    /// Buffers that are both read and written.
    global: &'a BTreeSet<ArrayId>,
    /// For each array of a warp, which warp program it is allocated in.
    homes: BTreeMap<ArrayId, u32>,
}

impl Placer<'_> {
    /// Places barriers of `scope` in a list. `pending`: what was touched since the last barrier, before and after.
    fn list(&self, list: Block, scope: Level, pending: &mut Effects) -> Block {
        let mut out = Vec::with_capacity(list.len());
        for stmt in list {
            let stmt = self.stmt(stmt, scope, pending, &mut out);
            out.push(stmt);
        }
        out
    }

    fn stmt(&self, stmt: Stmt, scope: Level, pending: &mut Effects, out: &mut Block) -> Stmt {
        let span = stmt.span;
        let kind = match stmt.kind {
            StmtKind::Sync { scope: s } => {
                if s >= scope {
                    *pending = Effects::default();
                }
                StmtKind::Sync { scope: s }
            }
            StmtKind::If { cond, then, els } => {
                let test = StmtKind::If { cond, then: Vec::new(), els: Vec::new() };
                self.before(self.touched(Effects::direct(&test, self.loads)), scope, pending, out, &stmt_at(span));
                let mut other = pending.clone();
                let then = self.list(then, scope, pending);
                let els = self.list(els, scope, &mut other);
                pending.merge(&other);
                StmtKind::If { cond, then, els }
            }
            StmtKind::SeqFor { var, start, end, step, body } => {
                let bounds = StmtKind::SeqFor { var, start, end, step, body: Vec::new() };
                self.before(self.touched(Effects::direct(&bounds, self.loads)), scope, pending, out, &stmt_at(span));
                let body = self.repeated(body, scope, pending, out, &stmt_at(span));
                StmtKind::SeqFor { var, start, end, step, body }
            }
            StmtKind::SeqWhile { head, cond, body } => self.seq_while((head, cond, body), scope, pending, out, span),
            StmtKind::DistrPar { level: Level::Block, var, n, body } => {
                let body = match self.program.exprs.as_u32(n) {
                    Some(0 | 1) => self.list(body, scope, pending),
                    _ => self.repeated(body, scope, pending, out, &stmt_at(span)),
                };
                StmtKind::DistrPar { level: Level::Block, var, n, body }
            }
            StmtKind::DistrPar { level, var, n, body } => {
                let effects = self.touched(Effects::of_block(&body, self.loads));
                self.before(effects, scope, pending, out, &stmt_at(span));
                let body = self.warp_body(body);
                StmtKind::DistrPar { level, var, n, body }
            }
            kind => {
                let stmt = Stmt::new(kind, span);
                self.before(self.touched(Effects::of(&stmt, self.loads)), scope, pending, out, &stmt_at(span));
                stmt.kind
            }
        };
        Stmt::new(kind, span)
    }

    /// Code of a warp: its own barriers, and one at the end where the warp's next round would meet this one, be it the
    /// next virtual warp or the next virtual block.
    fn warp_body(&self, body: Block) -> Block {
        self.repeated(body, Level::Warp, &mut Effects::default(), &mut Vec::new(), &stmt_at(Span::NONE))
    }

    fn seq_while(
        &self,
        (head, cond, body): (Block, ExprId, Block),
        scope: Level,
        pending: &mut Effects,
        out: &mut Block,
        span: Span,
    ) -> StmtKind {
        // The test is a statement between head and body, so the three make one loop body; split again afterwards.
        let test = Stmt::new(StmtKind::If { cond, then: Vec::new(), els: Vec::new() }, span);
        let mut whole = head;
        whole.push(test.clone());
        whole.extend(body);
        let mut whole = self.repeated(whole, scope, pending, out, &stmt_at(span));
        let at = whole.iter().position(|s| *s == test).unwrap_or(0);
        let body = whole.split_off(at + 1);
        // The last round ends behind the test.
        pending.merge(&self.touched(Effects::of_block(&whole, self.loads)));
        whole.pop();
        StmtKind::SeqWhile { head: whole, cond, body }
    }

    /// A loop body: barriers inside, at the end where one round meets the next, in front where it meets `pending`.
    fn repeated(
        &self,
        body: Block,
        scope: Level,
        pending: &mut Effects,
        out: &mut Block,
        at: &dyn Fn(StmtKind) -> Stmt,
    ) -> Block {
        let mut after = Effects::default();
        let mut body = self.list(body, scope, &mut after);
        let (entry, _) = self.exposed(&body, scope);
        let meets_itself = self.conflict(&after, &entry, scope);
        let meets_before = self.conflict(pending, &entry, scope);
        match (meets_before, meets_itself) {
            // One barrier at the top serves both.
            (true, true) => body.insert(0, at(StmtKind::Sync { scope })),
            (true, false) => {
                out.push(at(StmtKind::Sync { scope }));
                *pending = Effects::default();
            }
            (false, true) => {
                body.push(at(StmtKind::Sync { scope }));
                after = Effects::default();
            }
            (false, false) => {}
        }
        // The loop may run no round at all, so what was pending still is.
        pending.merge(&after);
        body
    }

    /// What a list with its barriers touches before the first of them; whether every way through it meets one.
    fn exposed(&self, list: &[Stmt], scope: Level) -> (Effects, bool) {
        let mut effects = Effects::default();
        for stmt in list {
            match &stmt.kind {
                StmtKind::Sync { scope: s } if *s >= scope => return (effects, true),
                StmtKind::If { then, els, .. } => {
                    effects.merge(&self.touched(Effects::direct(&stmt.kind, self.loads)));
                    let ((a, x), (b, y)) = (self.exposed(then, scope), self.exposed(els, scope));
                    effects.merge(&a);
                    effects.merge(&b);
                    if x && y {
                        return (effects, true);
                    }
                }
                StmtKind::SeqFor { body, .. } => {
                    effects.merge(&self.touched(Effects::direct(&stmt.kind, self.loads)));
                    effects.merge(&self.exposed(body, scope).0);
                }
                StmtKind::SeqWhile { head, body, .. } => {
                    let (e, stops) = self.exposed(head, scope);
                    effects.merge(&e);
                    if stops {
                        return (effects, true);
                    }
                    effects.merge(&self.touched(Effects::direct(&stmt.kind, self.loads)));
                    effects.merge(&self.exposed(body, scope).0);
                }
                _ => effects.merge(&self.touched(Effects::of(stmt, self.loads))),
            }
        }
        (effects, false)
    }

    /// A barrier in front of a statement that touches `effects`, where it conflicts with what is pending.
    fn before(
        &self,
        effects: Effects,
        scope: Level,
        pending: &mut Effects,
        out: &mut Block,
        at: &dyn Fn(StmtKind) -> Stmt,
    ) {
        if self.conflict(pending, &effects, scope) {
            out.push(at(StmtKind::Sync { scope }));
            *pending = Effects::default();
        }
        pending.merge(&effects);
    }

    /// Leaves the arrays that several threads share and somebody writes.
    fn touched(&self, mut effects: Effects) -> Effects {
        effects.retain(|a| match self.program.array(a).space {
            Space::Shared(_) => true,
            Space::Global(_) => self.global.contains(&a),
            // Arrays in lanes are registers by now.
            Space::Local | Space::Lanes => false,
        });
        effects
    }

    fn conflict(&self, before: &Effects, after: &Effects, scope: Level) -> bool {
        let meet = |a: &BTreeSet<ArrayId>, b: &BTreeSet<ArrayId>| {
            a.iter().any(|&x| b.iter().any(|&y| self.overlap(x, y, scope)))
        };
        let atomics = || {
            // Atomic updates of one array do not disturb one another.
            before.atomics.iter().any(|&x| after.atomics.iter().any(|&y| x != y && self.overlap(x, y, scope)))
        };
        meet(&before.writes, &after.reads)
            || meet(&before.reads, &after.writes)
            || meet(&before.writes, &after.writes)
            || meet(&before.atomics, &after.reads)
            || meet(&before.atomics, &after.writes)
            || meet(&before.reads, &after.atomics)
            || meet(&before.writes, &after.atomics)
            || atomics()
    }

    /// Whether two arrays share memory that threads on both sides of a barrier of `scope` could meet on.
    fn overlap(&self, a: ArrayId, b: ArrayId, scope: Level) -> bool {
        let same_home = self.homes.get(&a).is_some_and(|h| self.homes.get(&b) == Some(h));
        let same_place = a == b || self.bytes(a).is_some_and(|x| self.bytes(b) == Some(x));
        if scope == Level::Block && same_home && same_place {
            // A warp's own copy is met by this warp only, and always by the same one: its own barriers see to that.
            return false;
        }
        if a == b {
            return true;
        }
        let (Some(p), Some(q)) = (self.bytes(a), self.bytes(b)) else { return false };
        p.0 < q.1 && q.0 < p.1
    }

    /// The bytes of a shared array, all copies. Without a layout, arrays lie apart.
    fn bytes(&self, id: ArrayId) -> Option<(u64, u64)> {
        let array = self.program.array(id);
        let Space::Shared(level) = array.space else { return None };
        let copies = if level == Level::Warp { self.program.warps() } else { 1 };
        let len = u64::from(self.program.exprs.as_u32(array.len)?);
        let start = u64::from(array.offset?);
        Some((start, start + len * u64::from(array.elem.bytes()) * u64::from(copies)))
    }
}

/// Numbers the warp programs and notes which arrays each allocates.
fn find_homes(list: &Block, next: &mut u32, homes: &mut BTreeMap<ArrayId, u32>) {
    for stmt in list {
        match &stmt.kind {
            StmtKind::DistrPar { level: Level::Warp, .. } => *next += 1,
            StmtKind::Allocate { array } if *next > 0 => {
                homes.insert(*array, *next);
            }
            _ => {}
        }
        for inner in walk::nested(&stmt.kind) {
            find_homes(inner, next, homes);
        }
    }
}

/// Makes statements that bear `span`.
fn stmt_at(span: Span) -> impl Fn(StmtKind) -> Stmt {
    move |kind| Stmt::new(kind, span)
}

#[cfg(test)]
mod tests;
