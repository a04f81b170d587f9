//! Parts the code for GPUs from all other: under `fast_math` a value is a choice by [`Expr::OnGpu`] between a GPU's own
//! function and the exact one, of which each form keeps one.
//!
//! Needs: any form. Ensures: no `OnGpu`; in code for GPUs no exact function that is not computed, in other code no function of a
//! GPU's own. Source: PTX ISA, `ex2`, `lg2`, `sin`, `cos`, `tanh`; OpenCL C, `native_exp2` and its kin.
//!
//! ```text
//! if on_gpu { exp2(x) } else { e }    =>  exp2(x)   in code for GPUs
//!                                         e         in all other code
//! ```

use super::walk;
use crate::program::{Block, Expr, ExprId, Program};
use crate::tables::HashMap;

/// Whether a choice between the two is left.
pub fn any(program: &Program) -> bool {
    (0..program.exprs.len() as u32).any(|id| program.exprs.expr(ExprId(id)) == Expr::OnGpu)
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
            _ => walk::rebuild(&mut program.exprs, id, |operand| new[&operand]),
        };
        program.exprs.coordinates.inherit(made, id);
        new.insert(id, made);
    }
    block(&new, &mut program.body);
}

fn block(new: &HashMap<ExprId, ExprId>, body: &mut Block) {
    for stmt in body {
        walk::direct_mut(&mut stmt.kind).for_each(|e| *e = new[e]);
        walk::nested_mut(&mut stmt.kind).for_each(|inner| block(new, inner));
    }
}
