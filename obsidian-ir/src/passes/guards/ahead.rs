//! Guards ahead: where the rounds of a loop access memory by data, the guards of four rounds are tested together, so that four
//! accesses are under way at a time and a round takes no branch of its own. Compilers unroll such loops by themselves, but not where
//! a round has a guard.
//!
//! Needs: code for machines, after `record`, before `unroll`. Ensures: the same accesses in the same order of each array that is
//! written, the same record: a loop goes by fours while all four are in range, what is left goes round by round as before. Only where the
//! guards of a round read nothing that the kernel writes, so they may be tested early; at most [`MAX_SIZE`] operations from one loop.
//!
//! ```text
//! seq i in from..to                               local at = from, stop = max(to, 3) - 3
//!   if ids[i] < len(xs) { xs[ids[i]] += 1 }       while at < stop
//!   else { note it }                          =>    if ids[at] < len(xs) & .. & ids[at + 3] < len(xs)
//!                                                     xs[ids[at]] += 1  .. xs[ids[at + 3]] += 1, at = at + 4
//!                                                   else stop = 0
//!                                                 seq i in at..to  as before
//! ```

use std::collections::BTreeSet;

use super::super::schedule::facts::{Change, changes};
use super::super::virtualise::{Rewriter, size};
use super::super::walk;
use super::record;
use crate::diag::Span;
use crate::program::{BinOp, Block, Expr, ExprId, Program, Range, ScalarType, Stmt, StmtKind, UnOp, VarId};
use crate::tables::HashSet;

/// How many rounds are tested together.
const PART: u32 = 4;
/// The most statements and operations of the rounds that are tested together.
const MAX_SIZE: usize = 192;
/// The largest step.
const MAX_STEP: u32 = 1 << 16;
/// The most guards of a round: each needs a register for every round that is under way.
const MAX_GUARDS: usize = 4;

/// Tests the guards of several rounds together.
pub fn run(program: &mut Program) {
    let Some(note) = record::note(program) else { return };
    let body = std::mem::take(&mut program.body);
    let changed = changes(&body);
    let mut ahead = Ahead { p: program, note, changed };
    let body = ahead.list(body);
    program.body = body;
}

struct Ahead<'p> {
    p: &'p mut Program,
    /// The register that a guard notes in.
    note: VarId,
    /// What the kernel changes.
    changed: HashSet<Change>,
}

/// A loop that counts up.
struct Counted {
    /// Its index, or what `while` tests.
    counter: VarId,
    /// Where its index begins; the counter of a `while` has begun before.
    start: Option<ExprId>,
    /// It goes on while the counter is below this, whose value does not change.
    end: ExprId,
    /// What a round adds to the counter; not 0.
    step: u32,
    /// A round, without this addition.
    body: Block,
}

/// A round whose guards can be tested early.
struct Round {
    /// What the tests need, at the start.
    named: Block,
    rest: Block,
    /// What holds where an access is in range.
    inside: Vec<ExprId>,
}

impl Ahead<'_> {
    fn list(&mut self, list: Block) -> Block {
        let mut out = Vec::with_capacity(list.len());
        for mut stmt in list {
            for inner in walk::nested_mut(&mut stmt.kind) {
                *inner = self.list(std::mem::take(inner));
            }
            if let Some(counted) = self.counted(&stmt.kind)
                && let Some(round) = self.round(&counted)
            {
                let at = self.by_parts(&counted, &round, stmt.span, &mut out);
                if let StmtKind::SeqFor { start, .. } = &mut stmt.kind {
                    *start = at;
                }
            }
            out.push(stmt);
        }
        out
    }

    fn counted(&self, kind: &StmtKind) -> Option<Counted> {
        let e = &self.p.exprs;
        match kind {
            StmtKind::SeqFor { var, start, end, step, body } => {
                let known = e.as_const(*start).is_some() && e.as_const(*end).is_some();
                let step = e.as_u32(*step).filter(|_| !known)?;
                let counted = Counted { counter: *var, start: Some(*start), end: *end, step, body: body.clone() };
                self.is_early(*end, &bound_in(body)).then_some(counted)
            }
            StmtKind::SeqWhile { head, cond, body } if head.is_empty() => {
                let Expr::Bin(BinOp::Lt, counter, end) = e.expr(*cond) else { return None };
                let Expr::Var(counter) = e.expr(counter) else { return None };
                let (at, step) = self.addition(counter, body)?;
                let mut body = body.clone();
                body.remove(at);
                let counted = Counted { counter, start: None, end, step, body };
                let varies = bound_in(&counted.body);
                (self.is_early(end, &varies) && !self.reads(end, counter)).then_some(counted)
            }
            _ => None,
        }
    }

    /// Which statement adds to a counter, and how much: the only one that sets it, with none behind it that reads it.
    fn addition(&self, counter: VarId, body: &Block) -> Option<(usize, u32)> {
        let e = &self.p.exprs;
        let sets = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Set { var, .. } if var == counter);
        let at = body.iter().position(sets)?;
        let others = [&body[..at], &body[at + 1..]].into_iter().any(|list| bound_in(list).contains(&counter));
        let behind = walk::evaluated(&body[at + 1..]).into_iter().any(|value| self.reads(value, counter));
        let StmtKind::Set { value, .. } = body[at].kind else { return None };
        let named = walk::lets(body);
        let value = match e.expr(value) {
            Expr::Var(var) => *named.get(&var)?,
            _ => value,
        };
        let Expr::Bin(BinOp::Add, from, step) = e.expr(value) else { return None };
        let adds = e.expr(from) == Expr::Var(counter) && e.ty(from) == ScalarType::U32;
        e.as_u32(step).filter(|_| adds && !others && !behind).map(|step| (at, step))
    }

    fn reads(&self, value: ExprId, var: VarId) -> bool {
        walk::reachable(&self.p.exprs, [value], |_| false).into_iter().any(|id| self.p.exprs.expr(id) == Expr::Var(var))
    }

    fn round(&mut self, counted: &Counted) -> Option<Round> {
        let body = &counted.body;
        let small = size(self.p, body).saturating_mul(PART as usize) <= MAX_SIZE;
        // Farther apart the last of four would be past every index.
        let near = (1..=MAX_STEP).contains(&counted.step);
        if !is_plain(body) || !small || !near {
            return None;
        }
        let inside: Vec<ExprId> = body.iter().filter_map(|stmt| self.inside(&stmt.kind)).collect();
        let mut varies = bound_in(body);
        let (mut named, mut rest) = (Block::new(), Block::new());
        for stmt in body {
            match stmt.kind {
                StmtKind::Let { var, value } if self.is_early(value, &varies) => {
                    varies.remove(&var);
                    named.push(stmt.clone());
                }
                _ => rest.push(stmt.clone()),
            }
        }
        let early = inside.iter().all(|&test| self.is_early(test, &varies));
        let few = (1..=MAX_GUARDS).contains(&inside.len());
        (early && few).then_some(Round { named, rest, inside })
    }

    /// What holds where the access that a statement guards is in range.
    fn inside(&mut self, kind: &StmtKind) -> Option<ExprId> {
        let StmtKind::If { cond, then, els } = kind else { return None };
        let notes = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::If { then, .. } if record::is_note(self.note, then));
        match self.p.exprs.expr(*cond) {
            _ if els.iter().any(notes) => Some(*cond),
            Expr::Bin(BinOp::And, outside, _) if els.is_empty() && record::is_note(self.note, then) => {
                Some(self.p.exprs.un(UnOp::Not, outside))
            }
            _ => None,
        }
    }

    /// Whether a value is the same before a round as in it: it reads nothing that the kernel writes, and none of these variables.
    fn is_early(&self, value: ExprId, varies: &BTreeSet<VarId>) -> bool {
        walk::reachable(&self.p.exprs, [value], |_| false).into_iter().all(|id| match self.p.exprs.expr(id) {
            Expr::Var(var) => !varies.contains(&var),
            Expr::Load(array, _) => !self.changed.contains(&Change::Array(array)),
            _ => true,
        })
    }

    /// Writes the rounds by parts, as far as their guards hold; the counter afterwards.
    fn by_parts(&mut self, counted: &Counted, round: &Round, span: Span, out: &mut Block) -> ExprId {
        let stmt = |kind| Stmt::new(kind, span);
        let full = Range::full(ScalarType::U32);
        let at = match counted.start {
            Some(start) => {
                let at = self.p.new_var("at", ScalarType::U32, true, full);
                out.push(stmt(StmtKind::Local { var: at, init: Some(start) }));
                at
            }
            None => counted.counter,
        };
        // The counter behind the rounds is at most the end, so that it does not wrap where the end is the greatest number.
        let ahead = counted.step * PART - 1;
        let stop = self.p.new_var("stop", ScalarType::U32, true, full);
        let base = self.p.new_var("round", ScalarType::U32, false, Range::new(0, (u32::MAX - ahead - 1).into()));
        let e = &mut self.p.exprs;
        let (from, until, none) = (e.var(at), e.var(stop), e.u32(0));
        let last = {
            let ahead = e.u32(ahead);
            let end = e.bin(BinOp::Max, counted.end, ahead);
            e.bin(BinOp::Sub, end, ahead)
        };
        let cond = e.bin(BinOp::Lt, from, until);
        out.push(stmt(StmtKind::Local { var: stop, init: Some(last) }));
        let mut body = vec![stmt(StmtKind::Let { var: base, value: from })];
        let (test, mut then, next) = self.together(counted, round, base, &mut body);
        then.push(stmt(StmtKind::Set { var: at, value: next }));
        let els = vec![stmt(StmtKind::Set { var: stop, value: none })];
        body.push(stmt(StmtKind::If { cond: test, then, els }));
        out.push(stmt(StmtKind::SeqWhile { head: Block::new(), cond, body }));
        from
    }

    /// Whether all accesses of the rounds from `base` on are in range, these rounds if so, and the counter after them. What the test
    /// needs comes into `before`.
    fn together(
        &mut self,
        counted: &Counted,
        round: &Round,
        base: VarId,
        before: &mut Block,
    ) -> (ExprId, Block, ExprId) {
        let (base, counter) = (self.p.exprs.var(base), self.p.exprs.var(counted.counter));
        let after = |p: &mut Program, rounds: u32| {
            let distance = p.exprs.u32(counted.step * rounds);
            p.exprs.bin(BinOp::Add, base, distance)
        };
        let mut test = self.p.exprs.bool(true);
        let mut copies = Vec::new();
        for k in 0..PART {
            let index = after(self.p, k);
            let mut copy = Rewriter::at(counter, index, true);
            before.extend(copy.block(self.p, &round.named));
            for &inside in &round.inside {
                let inside = copy.expr(self.p, inside);
                test = self.p.exprs.bin(BinOp::And, test, inside);
            }
            copies.push((copy, index));
        }
        let e = &mut self.p.exprs;
        let (yes, no) = (e.bool(true), e.bool(false));
        let known: Vec<_> =
            round.inside.iter().flat_map(|&inside| [(inside, yes), (e.un(UnOp::Not, inside), no)]).collect();
        let mut rounds = Block::new();
        for (mut copy, index) in copies {
            copy.knowing(known.iter().copied().chain([(counter, index)]));
            rounds.extend(copy.block(self.p, &round.rest));
        }
        (test, rounds, after(self.p, PART))
    }
}

/// Whether a list only computes and accesses elements: no loops, no barriers, nothing of several threads.
fn is_plain(list: &Block) -> bool {
    list.iter().all(|stmt| match &stmt.kind {
        StmtKind::Let { .. }
        | StmtKind::Local { .. }
        | StmtKind::Set { .. }
        | StmtKind::Assign { .. }
        | StmtKind::Atomic { .. } => true,
        StmtKind::If { then, els, .. } => is_plain(then) && is_plain(els),
        _ => false,
    })
}

/// The variables that a list binds or sets.
fn bound_in(list: &[Stmt]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    walk::each(list, &mut |stmt| {
        found.extend(walk::bound(&stmt.kind));
        if let StmtKind::Set { var, .. } = stmt.kind {
            found.insert(var);
        }
    });
    found
}
