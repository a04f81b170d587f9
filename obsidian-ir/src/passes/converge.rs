//! Converge: programs of warps for machines where only a whole block can wait.
//!
//! Needs: the machine code of a warp program, its barriers those of warps. Ensures: it means the same, every barrier is
//! the block's, and all threads of the block reach each one together: what stands between two barriers is guarded by
//! whether the warp is at work, and a loop that some warps leave early goes on, idle, until all have left it. Warps tell
//! one another through an array in shared memory. Called by `virtualise`.

use super::walk;
use crate::diag::Span;
use crate::level::Level;
use crate::program::{
    Array, ArrayId, BinOp, Block, Const, Expr, ExprId, Program, Range, ScalarType, Space, Special, Stmt, StmtKind,
    UnOp, VarId,
};
use crate::tables::HashSet;

/// The votes of the warps follow the program's own arrays, in bank 0.
const ALIGN: u32 = 128;

/// Whether some thread waits in there.
pub(super) fn waits(list: &Block) -> bool {
    list.iter().any(|s| matches!(s.kind, StmtKind::Sync { .. }) || walk::nested(&s.kind).any(waits))
}

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
    let mut c = Converger { program, votes, own, span };
    let mut out = Vec::new();
    let guard = active.map(|a| c.name("active", a, &mut out));
    c.list(body, guard, &HashSet::default(), &mut out);
    out
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
    match kind {
        StmtKind::Let { var, .. }
        | StmtKind::Local { var, .. }
        | StmtKind::SeqFor { var, .. }
        | StmtKind::Shuffle { var, .. } => Some(*var),
        StmtKind::Atomic { old, .. } => *old,
        _ => None,
    }
}

struct Converger<'p> {
    program: &'p mut Program,
    votes: &'p mut Option<ArrayId>,
    /// What the warp program binds and what therefore may differ from warp to warp.
    own: HashSet<VarId>,
    span: Span,
}

/// A loop `for var in (start..end).step_by(step)`.
struct Counted {
    var: VarId,
    start: ExprId,
    end: ExprId,
    step: ExprId,
    body: Block,
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
        let later = self.read_later(&list, after);
        let mut phase: Vec<Stmt> = Vec::new();
        for (stmt, later) in list.into_iter().zip(&later) {
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
                    self.nested(kind, guard, later, out);
                }
                kind => {
                    let kind = if guard.is_some() { self.kept(kind, later, &mut phase, out) } else { kind };
                    phase.push(Stmt { kind, ..stmt });
                }
            }
        }
        self.flush(&mut phase, guard, out);
    }

    /// For each statement of a list, the variables read behind it.
    fn read_later(&self, list: &Block, after: &HashSet<VarId>) -> Vec<HashSet<VarId>> {
        let mut later = Vec::with_capacity(list.len());
        let mut seen = after.clone();
        for stmt in list.iter().rev() {
            later.push(seen.clone());
            self.reads(std::slice::from_ref(stmt), &mut seen);
        }
        later.reverse();
        later
    }

    fn reads(&self, list: &[Stmt], out: &mut HashSet<VarId>) {
        for stmt in list {
            for id in walk::reachable(&self.program.exprs, walk::direct(&stmt.kind), |_| false) {
                if let Expr::Var(v) = self.program.exprs.expr(id) {
                    out.insert(v);
                }
            }
            walk::nested(&stmt.kind).for_each(|b| self.reads(b, out));
        }
    }

    /// A statement whose variable is read in a later phase sets one that outlives the guard.
    fn kept(&mut self, kind: StmtKind, later: &HashSet<VarId>, phase: &mut Block, out: &mut Block) -> StmtKind {
        let Some(var) = binds(&kind).filter(|v| later.contains(v)) else { return kind };
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
                self.counted(Counted { var, start, end, step, body }, guard, after, out);
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
        if self.uniform(cond) {
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

    fn counted(&mut self, l: Counted, guard: Option<ExprId>, after: &HashSet<VarId>, out: &mut Block) {
        if [l.start, l.end, l.step].into_iter().all(|e| self.uniform(e)) {
            self.own.remove(&l.var);
            let mut body = Vec::new();
            self.list(l.body, guard, after, &mut body);
            let Counted { var, start, end, step, .. } = l;
            out.push(self.stmt(StmtKind::SeqFor { var, start, end, step, body }));
            return;
        }
        let [start, end, step] = [l.start, l.end, l.step].map(|e| self.guarded(guard, e));
        let (end, step) = (self.name("end", end, out), self.name("step", step, out));
        let index = self.local("next", start, Range::full(ScalarType::U32), out);
        let at = self.program.exprs.var(index);
        let (mut head, mut body) = (Vec::new(), Vec::new());
        let goes_on = self.program.exprs.bin(BinOp::Lt, at, end);
        let goes_on = self.name("working", goes_on, &mut head);
        let cond = self.any(goes_on, &mut head);
        let mut round = vec![self.stmt(StmtKind::Let { var: l.var, value: at })];
        round.extend(l.body);
        let value = self.advanced(at, end, step);
        round.push(self.stmt(StmtKind::Set { var: index, value }));
        self.list(round, Some(goes_on), after, &mut body);
        out.push(self.stmt(StmtKind::SeqWhile { head, cond, body }));
    }

    /// The index of the next round, which may be `end` but never wraps.
    fn advanced(&mut self, at: ExprId, end: ExprId, step: ExprId) -> ExprId {
        let exprs = &mut self.program.exprs;
        let (left, next) = (exprs.bin(BinOp::Sub, end, at), exprs.bin(BinOp::Add, at, step));
        let fits = exprs.bin(BinOp::Gt, left, step);
        exprs.select(fits, next, end)
    }

    fn tested(
        &mut self,
        (head, cond, body): (Block, ExprId, Block),
        guard: Option<ExprId>,
        after: &HashSet<VarId>,
        out: &mut Block,
    ) {
        let working = guard.unwrap_or_else(|| self.program.exprs.constant(Const::bool(true)));
        let live = self.local("working", working, Range::full(ScalarType::Bool), out);
        let working = self.program.exprs.var(live);
        // What the head binds is seen by the test and by the body.
        let mut seen = after.clone();
        let test = self.stmt(StmtKind::If { cond, then: body.clone(), els: Vec::new() });
        self.reads(&[test], &mut seen);
        let (mut first, mut round) = (Vec::new(), Vec::new());
        self.list(head, Some(working), &seen, &mut first);
        let value = self.guarded(Some(working), cond);
        first.push(self.stmt(StmtKind::Set { var: live, value }));
        let cond = self.any(working, &mut first);
        self.list(body, Some(working), after, &mut round);
        out.push(self.stmt(StmtKind::SeqWhile { head: first, cond, body: round }));
    }

    /// Whether `vote` holds in some warp; it is the same in all lanes of each. All threads of the block come by.
    fn any(&mut self, vote: ExprId, out: &mut Block) -> ExprId {
        let warps = self.program.threads.div_ceil(32);
        let votes = self.votes();
        let exprs = &mut self.program.exprs;
        let (lane, zero) = (exprs.special(Special::Lane, 31), exprs.u32(0));
        let cond = exprs.bin(BinOp::Eq, lane, zero);
        let (index, value) = (exprs.special(Special::WarpId, warps - 1), exprs.cast(vote, ScalarType::U32));
        let each = (0..warps).map(|w| {
            let w = exprs.u32(w);
            exprs.load(votes, w, ScalarType::U32)
        });
        let each: Vec<ExprId> = each.collect();
        let sum = each.into_iter().reduce(|a, b| exprs.bin(BinOp::Or, a, b)).unwrap_or(zero);
        let any = exprs.bin(BinOp::Ne, sum, zero);
        let write = self.stmt(StmtKind::Assign { array: votes, index, value });
        out.push(self.stmt(StmtKind::If { cond, then: vec![write], els: Vec::new() }));
        let sync = self.stmt(StmtKind::Sync { scope: Level::Block });
        out.push(sync.clone());
        let any = self.name("any", any, out);
        // Nobody may vote anew before all have counted.
        out.push(sync);
        any
    }

    fn votes(&mut self) -> ArrayId {
        if let Some(id) = *self.votes {
            return id;
        }
        let warps = self.program.threads.div_ceil(32);
        let (id, offset) =
            (ArrayId(self.program.arrays.len() as u32), self.program.shared_bytes.next_multiple_of(ALIGN));
        self.program.shared_bytes = offset + warps * ScalarType::U32.bytes();
        self.program.arrays.push(Array {
            name: format!("votes{}", id.0),
            elem: ScalarType::U32,
            len: self.program.exprs.u32(warps),
            space: Space::Shared(Level::Block),
            rows: None,
            offset: Some(offset),
            span: self.span,
        });
        *self.votes = Some(id);
        id
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

#[cfg(test)]
mod tests;
