//! Converge: barriers that every thread of a block reaches, whatever the conditions around them say.
//!
//! [`together`]. Needs: the machine code of a warp program, its barriers those of warps. Ensures: it means the same, every
//! barrier is the block's, and all threads of the block reach each one together: what stands between two barriers is guarded
//! by whether the warp is at work, and a loop that some warps leave early goes on, idle, until all have left it. Warps tell
//! one another through an array in shared memory. Called by `virtualise`.
//!
//! [`unconditional`]. Needs: machine code whose barriers are the block's. Ensures: it means the same, and no barrier stands
//! under a condition; a loop that might have no round has one, idle. Compilers that run a group's items in a loop of their own go
//! wrong on barriers under conditions.
//!
//! ```text
//! if n < 3                                let taken = n < 3
//!   s[tid] = xs[tid]                  =>  if taken { s[tid] = xs[tid] }
//!   sync Block                            sync Block
//!   out[tid] = s[31 - tid]                if taken { out[tid] = s[31 - tid] }
//! ```

use super::blocks;
use super::walk::{self, waits};
use crate::diag::Span;
use crate::level::Level;
use crate::program::{
    ArrayId, BinOp, Block, Const, Expr, ExprId, Program, Range, Special, Stmt, StmtKind, UnOp, VarId,
};
use crate::tables::{HashMap, HashSet};

/// Makes the threads of a block run a warp program's `body` together; `active` holds in the threads that are at work.
/// `votes` is the array for votes, made at the first need.
pub(super) fn together(
    program: &mut Program,
    votes: &mut Option<ArrayId>,
    body: Block,
    active: Option<ExprId>,
    span: Span,
) -> Block {
    let mut own = HashSet::default();
    bound(&body, &mut own);
    let mut c = Converger { program, differing: Differing::Warps(votes), own, span };
    let mut out = Vec::new();
    let guard = active.map(|a| c.name("active", a, &mut out));
    c.list(body, guard, &HashSet::default(), &mut out);
    out
}

/// Takes the barriers of a program out from under conditions, which are the same in all threads of a block.
pub(super) fn unconditional(program: &mut Program) {
    if !program.body.iter().any(|stmt| conditional(program, stmt)) {
        return;
    }
    let (body, mut out) = (std::mem::take(&mut program.body), Vec::new());
    let mut c = Converger { program, differing: Differing::Nothing, own: HashSet::default(), span: Span::NONE };
    c.list(body, None, &HashSet::default(), &mut out);
    program.body = out;
}

/// Whether the statements hold a barrier under a condition. The loop over blocks does not count as one: see `blocks`.
pub(super) fn conditional(program: &Program, stmt: &Stmt) -> bool {
    let inside = |block: &Block| block.iter().any(|stmt| conditional(program, stmt));
    match &stmt.kind {
        StmtKind::If { then, els, .. } => waits(then) || waits(els),
        StmtKind::SeqWhile { head, body, .. } => waits(body) || inside(head),
        StmtKind::SeqFor { start, end, body, .. } => {
            (waits(body) && !blocks::begins_at_own(program, *start) && !begins(program, *start, *end)) || inside(body)
        }
        _ => false,
    }
}

/// Whether a compiler sees that a loop has a first round.
fn begins(program: &Program, start: ExprId, end: ExprId) -> bool {
    program.exprs.as_u32(start).zip(program.exprs.as_u32(end)).is_some_and(|(start, end)| start < end)
}

/// The variables that a list binds.
fn bound(list: &Block, out: &mut HashSet<VarId>) {
    for stmt in list {
        out.extend(binds(&stmt.kind));
        walk::nested(&stmt.kind).for_each(|b| bound(b, out));
    }
}

/// The variable that a statement itself binds.
fn binds(kind: &StmtKind) -> Option<VarId> {
    walk::bound(kind).next().filter(|_| !matches!(kind, StmtKind::Set { .. }))
}

/// Among which threads of a block conditions differ.
enum Differing<'p> {
    /// Those of different warps, which vote in this array, made at the first need.
    Warps(&'p mut Option<ArrayId>),
    /// None.
    Nothing,
}

struct Converger<'p> {
    program: &'p mut Program,
    differing: Differing<'p>,
    /// What the warp program binds and what therefore may differ from warp to warp.
    own: HashSet<VarId>,
    span: Span,
}

impl Converger<'_> {
    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt::new(kind, self.span)
    }

    /// `let name = value`.
    fn name(&mut self, name: &str, value: ExprId, out: &mut Block) -> ExprId {
        let (ty, range) = (self.program.exprs.ty(value), self.program.exprs.range(value));
        let var = self.program.new_var(name, ty, false, range);
        out.push(self.stmt(StmtKind::Let { var, value }));
        self.program.exprs.var(var)
    }

    /// `local name = value`.
    fn local(&mut self, name: &str, value: ExprId, range: Range, out: &mut Block) -> VarId {
        let ty = self.program.exprs.ty(value);
        let var = self.program.new_var(name, ty, true, range);
        out.push(self.stmt(StmtKind::Local { var, init: Some(value) }));
        var
    }

    /// A variable that idle threads never set: they must not find what no program has written.
    fn declaration(&mut self, var: VarId) -> Stmt {
        let zero = self.program.exprs.constant(Const { ty: self.program.var(var).ty, bits: 0 });
        self.stmt(StmtKind::Local { var, init: Some(zero) })
    }

    /// `value` where the guard holds; elsewhere 0 or false, and nothing is evaluated.
    fn guarded(&mut self, guard: Option<ExprId>, value: ExprId) -> ExprId {
        let Some(guard) = guard else { return value };
        let zero = self.program.exprs.constant(Const { ty: self.program.exprs.ty(value), bits: 0 });
        self.program.exprs.select(guard, value, zero)
    }

    /// A list, done by the threads where `guard` holds. `after`: variables that are read behind it.
    fn list(&mut self, list: Block, guard: Option<ExprId>, after: &HashSet<VarId>, out: &mut Block) {
        let last = self.last_reads(&list, after);
        let mut phase: Vec<Stmt> = Vec::new();
        for (at, stmt) in list.into_iter().enumerate() {
            let is_read_later = |var: &VarId| last.get(var).is_some_and(|&place| place > at);
            match stmt.kind {
                StmtKind::Sync { .. } => {
                    self.flush(&mut phase, guard, out);
                    out.push(Stmt::new(StmtKind::Sync { scope: Level::Block }, stmt.span));
                }
                // A declaration is for all phases.
                StmtKind::Allocate { .. } => out.push(stmt),
                StmtKind::Local { var, init } if guard.is_some() => {
                    out.push(self.declaration(var));
                    phase.extend(init.map(|value| Stmt::new(StmtKind::Set { var, value }, stmt.span)));
                }
                kind if walk::nested(&kind).any(waits) => {
                    self.flush(&mut phase, guard, out);
                    let later = last.keys().filter(|var| is_read_later(var)).copied().collect();
                    self.nested(kind, guard, &later, out);
                }
                kind => {
                    let kind = match binds(&kind).filter(|var| guard.is_some() && is_read_later(var)) {
                        Some(var) => self.keep_variable(kind, var, &mut phase, out),
                        None => kind,
                    };
                    phase.push(Stmt { kind, ..stmt });
                }
            }
        }
        self.flush(&mut phase, guard, out);
    }

    /// The last statement of a list that reads a variable, for each that one reads; the list's length for one that is read `after` it.
    fn last_reads(&self, list: &Block, after: &HashSet<VarId>) -> HashMap<VarId, usize> {
        let mut last: HashMap<VarId, usize> = after.iter().map(|&var| (var, list.len())).collect();
        for (at, stmt) in list.iter().enumerate().rev() {
            for var in self.reads(std::slice::from_ref(stmt)) {
                last.entry(var).or_insert(at);
            }
        }
        last
    }

    fn reads(&self, list: &[Stmt]) -> impl Iterator<Item = VarId> {
        let exprs = &self.program.exprs;
        let found = walk::reachable(exprs, walk::evaluated(list), |_| false).into_iter();
        found.filter_map(|id| if let Expr::Var(var) = exprs.expr(id) { Some(var) } else { None })
    }

    /// A statement whose variable is read in a later phase sets one that outlives the guard.
    fn keep_variable(&mut self, kind: StmtKind, var: VarId, phase: &mut Block, out: &mut Block) -> StmtKind {
        let declaration = self.declaration(var);
        match kind {
            StmtKind::Let { value, .. } => {
                self.program.vars[var.0 as usize].mutable = true;
                out.push(declaration);
                StmtKind::Set { var, value }
            }
            StmtKind::Atomic { op, array, index, value, expected, .. } => {
                let ty = self.program.var(var).ty;
                let old = self.program.new_var("old", ty, false, Range::full(ty));
                self.program.vars[var.0 as usize].mutable = true;
                out.push(declaration);
                phase.push(self.stmt(StmtKind::Atomic { op, array, index, value, expected, old: Some(old) }));
                StmtKind::Set { var, value: self.program.exprs.var(old) }
            }
            other => other,
        }
    }

    /// Ends a phase.
    fn flush(&mut self, phase: &mut Block, guard: Option<ExprId>, out: &mut Block) {
        let then = std::mem::take(phase);
        match guard {
            Some(cond) if !then.is_empty() => out.push(self.stmt(StmtKind::If { cond, then, els: Vec::new() })),
            _ => out.extend(then),
        }
    }

    /// A branch or a loop with a barrier inside.
    fn nested(&mut self, kind: StmtKind, guard: Option<ExprId>, after: &HashSet<VarId>, out: &mut Block) {
        match kind {
            StmtKind::If { cond, then, els } => self.branch((cond, then, els), guard, after, out),
            StmtKind::SeqFor { var, start, end, step, body } => {
                self.counted(loops::Counted { var, start, end, step, body }, guard, after, out);
            }
            StmtKind::SeqWhile { head, cond, body } => self.tested((head, cond, body), guard, after, out),
            // Gone in machine form.
            other => out.push(self.stmt(other)),
        }
    }

    fn branch(
        &mut self,
        (cond, then, els): (ExprId, Block, Block),
        guard: Option<ExprId>,
        after: &HashSet<VarId>,
        out: &mut Block,
    ) {
        if self.warps_differ() && self.uniform(cond) {
            let (mut yes, mut no) = (Vec::new(), Vec::new());
            self.list(then, guard, after, &mut yes);
            self.list(els, guard, after, &mut no);
            out.push(self.stmt(StmtKind::If { cond, then: yes, els: no }));
            return;
        }
        let taken = self.guarded(guard, cond);
        let taken = self.name("taken", taken, out);
        self.list(then, Some(taken), after, out);
        if !els.is_empty() {
            let not = self.program.exprs.un(UnOp::Not, taken);
            let not = guard.map_or(not, |g| self.program.exprs.bin(BinOp::And, g, not));
            let not = self.name("other", not, out);
            self.list(els, Some(not), after, out);
        }
    }

    /// Whether what differs are warps; what is the same in all of them may stand around a barrier here.
    fn warps_differ(&self) -> bool {
        matches!(self.differing, Differing::Warps(_))
    }

    /// Whether the value is surely the same in all threads of the block, at work or not.
    fn uniform(&self, id: ExprId) -> bool {
        let exprs = &self.program.exprs;
        walk::reachable(exprs, [id], |_| false).into_iter().all(|id| match exprs.expr(id) {
            Expr::Load(..) | Expr::Special(Special::Tid | Special::WarpId | Special::Lane) => false,
            Expr::Var(v) => !self.program.var(v).mutable && !self.own.contains(&v),
            _ => true,
        })
    }
}

mod loops;
#[cfg(test)]
mod tests;
