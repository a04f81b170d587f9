//! Unrolling: a loop of a thread that goes from neighbour to neighbour in memory is written out, wholly or by fours, so that
//! `vectorise` finds the neighbours side by side.
//!
//! Needs: structured, machine, group or sub-group form, before `schedule`. Ensures: the same statements in the same order, at most `MAX_SIZE`
//! operations from one loop, since ptxas takes more than linear time. Other loops stay; ptxas unrolls short ones
//! itself.
//!
//! ```text
//! seq i in 0..66                          seq round in 0..64 by 4
//!   acc = acc + xs[t * 66 + i]        =>    acc = acc + xs[t * 66 + round]       (and + 1, + 2, + 3)
//!                                         acc = acc + xs[t * 66 + 64]            (and 65)
//! ```

use super::index::Facts;
use super::virtualise::{Rewriter, size};
use super::walk;
use crate::diag::Span;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, Range, ScalarType, Space, Stmt, StmtKind, VarId};

/// The most rounds of a loop that is unrolled completely.
const MAX_ROUNDS: u32 = 32;
/// How many rounds of a longer loop become one.
const PART: u32 = 4;
/// The most statements and operations that a loop may become.
const MAX_SIZE: usize = 1024;

/// Unrolls loops over neighbours.
pub fn run(program: &mut Program) {
    let mut facts = Facts::of(program);
    let body = std::mem::take(&mut program.body);
    program.body = list(program, &mut facts, body);
}

fn list(p: &mut Program, facts: &mut Facts, block: Block) -> Block {
    let mut out = Vec::with_capacity(block.len());
    for mut stmt in block {
        for inner in walk::nested_mut(&mut stmt.kind) {
            *inner = list(p, facts, std::mem::take(inner));
        }
        match stmt.kind {
            StmtKind::SeqFor { var, start, end, step, body } => {
                match Rounds::of(p, facts, var, [start, end, step], &body) {
                    Some(rounds) => rounds.write(p, var, &body, stmt.span, &mut out),
                    None => out.push(Stmt::new(StmtKind::SeqFor { var, start, end, step, body }, stmt.span)),
                }
            }
            kind => out.push(Stmt { kind, ..stmt }),
        }
    }
    out
}

/// How a loop with step 1 is unrolled: some rounds one by one, then a loop in steps of [`PART`], then the rest one by
/// one.
struct Rounds {
    first: u32,
    before: u32,
    looped: u32,
    after: u32,
}

impl Rounds {
    fn of(p: &Program, facts: &mut Facts, var: VarId, [start, end, step]: [ExprId; 3], body: &Block) -> Option<Rounds> {
        let (first, end, step) = (p.exprs.as_u32(start)?, p.exprs.as_u32(end)?, p.exprs.as_u32(step)?);
        let n = end.checked_sub(first).filter(|&n| n > 0 && step == 1)?;
        let wait = to_aligned(p, facts, var, first, body)?;
        let rounds = if n <= MAX_ROUNDS {
            Rounds { first, before: n, looped: 0, after: 0 }
        } else {
            let after = (n - wait) % PART;
            Rounds { first, before: wait, looped: n - wait - after, after }
        };
        let copies = rounds.before + rounds.after + if rounds.looped > 0 { PART } else { 0 };
        (size(p, body).saturating_mul(copies as usize) <= MAX_SIZE).then_some(rounds)
    }

    fn write(self, p: &mut Program, var: VarId, body: &Block, span: Span, out: &mut Block) {
        let mut copies = Copies::of(p, var, body);
        let looped = self.first + self.before;
        copies.write(p, self.first..looped, out);
        if self.looped > 0 {
            let range = Range::new(0, (self.looped - PART).into());
            // It counts from 0, so that the multiples in its indices can be seen.
            let round = p.new_var("round", ScalarType::U32, false, range);
            let (base, mut rounds) = (p.exprs.var(round), Vec::new());
            for k in 0..PART {
                let distance = p.exprs.u32(looped + k);
                let to = p.exprs.bin(BinOp::Add, base, distance);
                rounds.extend(copies.next(p, to));
            }
            let [start, end, step] = [0, self.looped, PART].map(|k| p.exprs.u32(k));
            out.push(Stmt::new(StmtKind::SeqFor { var: round, start, end, step, body: rounds }, span));
        }
        let rest = looped + self.looped;
        copies.write(p, rest..rest + self.after, out);
    }
}

/// The number of rounds after which a vector may start, if the rounds touch neighbours in memory one after the other
/// and contain no barrier.
fn to_aligned(p: &Program, facts: &mut Facts, var: VarId, first: u32, body: &Block) -> Option<u32> {
    let mut touched = Vec::new();
    let alone = gather(p, body, &mut touched);
    touched.into_iter().filter(|_| alone).find_map(|index| wait(p, facts, var, first, index))
}

/// Collects the indices of all accesses to memory; false if there is a barrier.
fn gather(p: &Program, body: &Block, out: &mut Vec<ExprId>) -> bool {
    let in_memory = |a: ArrayId| matches!(p.array(a).space, Space::Global(_) | Space::Shared(_));
    body.iter().all(|stmt| {
        for id in walk::reachable(&p.exprs, walk::direct(&stmt.kind), |_| false) {
            match p.exprs.expr(id) {
                Expr::Load(array, index) if in_memory(array) => out.push(index),
                _ => {}
            }
        }
        if let StmtKind::Assign { array, index, .. } | StmtKind::Copy { array, index, .. } = stmt.kind
            && in_memory(array)
        {
            out.push(index);
        }
        !is_wait(&stmt.kind) && walk::nested(&stmt.kind).all(|inner| gather(p, inner, out))
    })
}

/// Whether threads wait for one another.
pub(super) fn is_wait(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Sync { .. } | StmtKind::Commit | StmtKind::Await { .. } | StmtKind::Shuffle { .. })
}

/// The rounds of a loop, one by one. The first keeps the names of the variables that are bound inside.
pub(super) struct Copies<'b> {
    index: ExprId,
    body: &'b Block,
    begun: bool,
}

impl Copies<'_> {
    pub(super) fn of<'b>(p: &mut Program, var: VarId, body: &'b Block) -> Copies<'b> {
        Copies { index: p.exprs.var(var), body, begun: false }
    }

    /// Writes these rounds out.
    pub(super) fn write(&mut self, p: &mut Program, rounds: std::ops::Range<u32>, out: &mut Block) {
        for k in rounds {
            let to = p.exprs.u32(k);
            out.extend(self.next(p, to));
        }
    }

    /// The round in which the counter is `to`.
    fn next(&mut self, p: &mut Program, to: ExprId) -> Block {
        Rewriter::at(self.index, to, std::mem::replace(&mut self.begun, true)).block(p, self.body)
    }
}

/// The same for one index, which must be the loop's own, counted up or down, plus a value that does not change.
fn wait(p: &Program, facts: &mut Facts, var: VarId, first: u32, index: ExprId) -> Option<u32> {
    let form = facts.form(p, index)?;
    let own = |e: ExprId| p.exprs.expr(e) == Expr::Var(var);
    let step = form.terms.iter().find(|t| own(t.0))?.1;
    let rest = form.terms.iter().filter(|t| !own(t.0));
    let aligned = rest.map(|&(e, k)| facts.zeros(p, e) + k.trailing_zeros()).all(|zeros| zeros > 0);
    let rounds = match step {
        1 => form.constant.wrapping_add(first).wrapping_neg(),
        // The last of four is the lowest.
        u32::MAX => form.constant.wrapping_sub(first).wrapping_add(1),
        _ => return None,
    };
    aligned.then_some(rounds % PART)
}
