//! Parts the code for GPUs from all other: a value may be a choice by [`Expr::OnGpu`], under `fast_math` between a GPU's own
//! function and the exact one, and so may a statement, where the library says the same in a way for lanes and in one for a
//! processor. Each form keeps one side; both were proved.
//!
//! Needs: any form. Ensures: no `OnGpu`; in code for GPUs no exact function that is not computed, in other code no function of a
//! GPU's own; no statement that the other code would run. Source: PTX ISA, `ex2`, `lg2`, `sin`, `cos`, `tanh`; OpenCL C,
//! `native_exp2` and its kin.
//!
//! ```text
//! if on_gpu { exp2(x) } else { e }    =>  exp2(x)   in code for GPUs
//!                                         e         in all other code
//! ```

use super::walk;
use crate::program::{Block, Expr, ExprId, Exprs, Program, StmtKind, UnOp};
use crate::tables::HashMap;

/// Whether a choice between the two is left.
pub fn any(program: &Program) -> bool {
    (0..program.exprs.len() as u32).any(|id| program.exprs.expr(ExprId(id)) == Expr::OnGpu)
}

/// Whether statements are chosen, not values alone.
pub fn parts_code(program: &Program) -> bool {
    let expr = |e| program.exprs.expr(e);
    let chooses = |cond| match expr(cond) {
        Expr::Un(UnOp::Not, other) => expr(other) == Expr::OnGpu,
        cond => cond == Expr::OnGpu,
    };
    let mut found = false;
    walk::each(&program.body, &mut |stmt| found |= matches!(stmt.kind, StmtKind::If { cond, .. } if chooses(cond)));
    found
}

/// Keeps what a GPU computes.
pub fn take(program: &mut Program) {
    choose(program, true);
}

/// Keeps what is exact.
pub fn leave(program: &mut Program) {
    choose(program, false);
}

fn choose(program: &mut Program, on_gpu: bool) {
    if !any(program) {
        return;
    }
    let roots = walk::evaluated(&program.body);
    let mut new: HashMap<ExprId, ExprId> = HashMap::default();
    for id in walk::reachable(&program.exprs, roots, |_| false) {
        let made = match program.exprs.expr(id) {
            Expr::OnGpu => program.exprs.bool(on_gpu),
            // What holds no choice stays the expression that it is: proofs of one side speak of it for the whole program.
            expr if walk::operands(expr).all(|operand| new[&operand] == operand) => id,
            _ => walk::rebuild(&mut program.exprs, id, |operand| new[&operand]),
        };
        program.exprs.coordinates.inherit(made, id);
        new.insert(id, made);
    }
    block(&program.exprs, &new, &mut program.body);
}

fn block(exprs: &Exprs, new: &HashMap<ExprId, ExprId>, body: &mut Block) {
    for mut stmt in std::mem::take(body) {
        let chosen = match &stmt.kind {
            StmtKind::If { cond, .. } => exprs.as_const(new[cond]).map(|cond| cond.bits != 0),
            _ => None,
        };
        walk::direct_mut(&mut stmt.kind).for_each(|e| *e = new[e]);
        walk::nested_mut(&mut stmt.kind).for_each(|inner| block(exprs, new, inner));
        match (stmt.kind, chosen) {
            (StmtKind::If { then, .. }, Some(true)) => body.extend(then),
            (StmtKind::If { els, .. }, Some(false)) => body.extend(els),
            (kind, _) => {
                stmt.kind = kind;
                body.push(stmt);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::text::read;

    #[test]
    fn code_is_parted_by_statements_alone() {
        let parts = |line: &str| {
            let text = format!(
                "kernel k (threads = 32, shared = 0 B)\n  in  x: u32[len(x)]\n  out out: u32[8]\n  blocks: 1\n  {line}\n    out[0] = 1\n"
            );
            parts_code(&read(&text).unwrap_or_else(|e| panic!("{e}")))
        };
        assert!(parts("if on_gpu") && parts("if !on_gpu"));
        assert!(!parts("if (if on_gpu { x[0] } else { x[1] }) > 3"));
    }

    #[test]
    fn each_side_is_proved() {
        let checked = |on_gpu: &str, elsewhere: &str| {
            let side = |place: &str| format!("      forall Block i < 32\n        prove out[{place}] = 1\n");
            let text = format!(
                "kernel k (threads = 32, shared = 0 B)\n  in  x: u32[len(x)]\n  out out: u32[32]\n  distribute Block b0 < 1\n    if on_gpu\n{}    else\n{}",
                side(on_gpu).replace("i <", "i1 <").replace("[i", "[i1"),
                side(elsewhere).replace("i <", "i2 <").replace("[i", "[i2"),
            );
            crate::passes::verify::check(&read(&text).unwrap_or_else(|e| panic!("{e}"))).map(drop)
        };
        assert!(checked("i", "i").is_ok() && checked("i ^ 1", "i").is_ok());
        assert!(checked("i & 15", "i").is_err() && checked("i", "i & 15").is_err());
    }
}
