//! Blocks: loops over blocks whose first round needs no test, for OpenCL.
//!
//! Needs: machine code. Ensures: it means the same where each real block goes through the first round of every loop over
//! blocks without asking whether there is such a block. The host launches at most as many real blocks as the program has
//! blocks, so the only loop of a program stays as it is if it goes over all of them; others test each block themselves.
//!
//! ```text
//! seq b in block..n / 2 by blocks         seq any in block..n / 2 by blocks
//!   out[b] = xs[b]                    =>    if any < n / 2
//!                                             let b = any
//!                                             out[b] = xs[b]          (the kernel has n blocks)
//! ```

use super::walk;
use crate::diag::Span;
use crate::program::{BinOp, Block, Expr, ExprId, Program, Range, ScalarType, Special, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// Adds the tests that are needed.
pub(super) fn run(program: &mut Program) {
    if needs_no_test(program) {
        return;
    }
    let body = std::mem::take(&mut program.body);
    program.body = list(program, body);
}

/// Whether a statement's counter goes over blocks: its loop begins at the number of the real block.
pub(super) fn begins_at_own(program: &Program, start: ExprId) -> bool {
    program.exprs.expr(start) == Expr::Special(Special::BlockIdx)
}

/// Whether there is at most one loop over blocks, and its end is the number of blocks that the host launches, to the
/// letter: that is the largest of several.
pub(super) fn needs_no_test(program: &Program) -> bool {
    let (mut ends, mut named, mut open) = (Vec::new(), HashMap::default(), vec![&program.body]);
    while let Some(body) = open.pop() {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Let { var, value } => {
                    named.insert(Expr::Var(*var), *value);
                }
                StmtKind::SeqFor { start, end, .. } if begins_at_own(program, *start) => ends.push(*end),
                _ => {}
            }
            open.extend(walk::nested(&stmt.kind));
        }
    }
    match ends[..] {
        [] => true,
        [end] => *named.get(&program.exprs.expr(end)).unwrap_or(&end) == program.blocks,
        _ => false,
    }
}

fn list(program: &mut Program, list: Block) -> Block {
    list.into_iter().map(|stmt| tested(program, stmt)).collect()
}

fn tested(program: &mut Program, mut stmt: Stmt) -> Stmt {
    match &mut stmt.kind {
        StmtKind::SeqFor { var, start, end, body, .. } if begins_at_own(program, *start) => {
            let (any, round) = round(program, *var, *end, std::mem::take(body), stmt.span);
            (*var, *body) = (any, vec![round]);
        }
        kind => walk::nested_mut(kind).for_each(|body| *body = self::list(program, std::mem::take(body))),
    }
    stmt
}

/// `if any < end { let var = any; body }`, with the counter `any`, of which no range is known: the test must stay.
fn round(program: &mut Program, var: VarId, end: ExprId, body: Block, span: Span) -> (VarId, Stmt) {
    let any = program.new_var("any", ScalarType::U32, false, Range::full(ScalarType::U32));
    let value = program.exprs.var(any);
    let cond = program.exprs.bin(BinOp::Lt, value, end);
    let mut then = vec![Stmt::new(StmtKind::Let { var, value }, span)];
    then.extend(body);
    (any, Stmt::new(StmtKind::If { cond, then, els: Vec::new() }, span))
}
