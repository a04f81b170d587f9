//! Unrolling: a loop of a thread that goes from neighbour to neighbour in memory is written out, wholly or by fours, so that
//! `vectorise` finds the neighbours side by side.
//!
//! Needs: machine form, before `schedule`. Ensures: the same statements in the same order, at most [`SIZE`] operations from one
//! loop: ptxas takes more than linear time. Other loops stay; ptxas unrolls short ones itself.

use super::vectorise::Facts;
use super::virtualise::{Rewriter, size};
use super::walk;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};

/// Most rounds that are written out whole.
const ROUNDS: u32 = 32;
/// Rounds that one round of a longer loop becomes.
const PART: u32 = 4;
/// Most statements and operations that a loop becomes.
const SIZE: usize = 1024;

/// Writes loops over neighbours out.
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
                let rounds = Rounds::of(p, start, end, step).filter(|_| worth_it(p, facts, var, &body));
                match rounds.filter(|r| size(p, &body).saturating_mul(r.copies() as usize) <= SIZE) {
                    Some(rounds) => rounds.write(p, (var, end, body), stmt.span, &mut out),
                    None => out.push(Stmt::new(StmtKind::SeqFor { var, start, end, step, body }, stmt.span)),
                }
            }
            kind => out.push(Stmt { kind, ..stmt }),
        }
    }
    out
}

/// How a loop by ones is written out.
enum Rounds {
    /// From the first index, so many.
    All(u32, u32),
    /// [`PART`] in a round of a loop that starts here.
    Some(ExprId),
}

impl Rounds {
    fn of(p: &Program, start: ExprId, end: ExprId, step: ExprId) -> Option<Rounds> {
        let (first, end, step) = (p.exprs.as_u32(start)?, p.exprs.as_u32(end)?, p.exprs.as_u32(step)?);
        let n = end.checked_sub(first).filter(|&n| n > 0 && step == 1)?;
        let parts = || (first.is_multiple_of(PART) && n.is_multiple_of(PART)).then_some(Rounds::Some(start));
        if n <= ROUNDS { Some(Rounds::All(first, n)) } else { parts() }
    }

    fn copies(&self) -> u32 {
        match self {
            Rounds::All(_, n) => *n,
            Rounds::Some(_) => PART,
        }
    }

    fn write(
        self,
        p: &mut Program,
        (var, end, body): (VarId, ExprId, Block),
        span: crate::diag::Span,
        out: &mut Block,
    ) {
        let index = p.exprs.var(var);
        let copy = |p: &mut Program, k: u32, to: ExprId| Rewriter::at(index, to, k > 0).block(p, &body);
        match self {
            Rounds::All(first, n) => {
                for k in 0..n {
                    let to = p.exprs.u32(first + k);
                    out.extend(copy(p, k, to));
                }
            }
            Rounds::Some(start) => {
                let mut rounds = Vec::new();
                for k in 0..PART {
                    let distance = p.exprs.u32(k);
                    let to = p.exprs.bin(BinOp::Add, index, distance);
                    rounds.extend(copy(p, k, to));
                }
                let step = p.exprs.u32(PART);
                out.push(Stmt::new(StmtKind::SeqFor { var, start, end, step, body: rounds }, span));
            }
        }
    }
}

/// Whether the rounds touch neighbours in memory one after the other, and nobody waits in them.
fn worth_it(p: &Program, facts: &mut Facts, var: VarId, body: &Block) -> bool {
    let mut touched = Vec::new();
    gather(p, body, &mut touched) && touched.into_iter().any(|index| moves_by_one(p, facts, var, index))
}

/// The indices of all accesses to memory; false where threads wait for one another.
fn gather(p: &Program, body: &Block, out: &mut Vec<ExprId>) -> bool {
    let in_memory = |a: ArrayId| matches!(p.array(a).space, Space::Global(_) | Space::Shared(_));
    body.iter().all(|stmt| {
        for id in walk::reachable(&p.exprs, walk::direct(&stmt.kind), |_| false) {
            match p.exprs.expr(id) {
                Expr::Load(array, index) if in_memory(array) => out.push(index),
                _ => {}
            }
        }
        if let StmtKind::Assign { array, index, .. } = stmt.kind
            && in_memory(array)
        {
            out.push(index);
        }
        let waits = matches!(stmt.kind, StmtKind::Sync { .. } | StmtKind::Shuffle { .. });
        !waits && walk::nested(&stmt.kind).all(|inner| gather(p, inner, out))
    })
}

/// Whether the index is the loop's, up or down, plus something that stays, so that a vector may start there.
fn moves_by_one(p: &Program, facts: &mut Facts, var: VarId, index: ExprId) -> bool {
    let Some(form) = facts.form(p, index) else { return false };
    let own = |e: ExprId| p.exprs.expr(e) == Expr::Var(var);
    let step = form.terms.iter().find(|t| own(t.0)).map(|t| t.1);
    let rest = form.terms.iter().filter(|t| !own(t.0));
    let aligned = rest.map(|&(e, k)| facts.zeros(p, e) + k.trailing_zeros()).all(|zeros| zeros > 0);
    aligned && matches!(step, Some(1 | u32::MAX))
}

#[cfg(test)]
mod tests;
