//! What a kernel needs of a device beyond the core of OpenCL 1.2: what the loader asks the device for.

use std::collections::BTreeSet;

use obsidian_abi::Need;

use crate::passes::walk;
use crate::program::{BinOp, Block, Expr, ExprId, Math, Program, ScalarType, StmtKind, UnOp};

/// The features that a program needs, in order.
pub fn needs(p: &Program) -> Vec<Need> {
    let mut found = Needs::default();
    found.block(&p.body);
    let used = walk::reachable(&p.exprs, found.roots.iter().copied(), |_| false);
    used.iter().for_each(|&id| found.expr(p, id));
    // A parameter has its type whether the kernel reads it or not.
    found.types.extend(p.arrays.iter().map(|a| a.elem));
    if found.types.contains(&ScalarType::F64) {
        found.needs.insert(Need::F64);
    }
    if found.atomics.iter().any(|&a| p.array(a).elem.bytes() == 8) {
        found.needs.insert(Need::Atomics64);
    }
    found.needs.into_iter().collect()
}

#[derive(Default)]
struct Needs {
    needs: BTreeSet<Need>,
    types: BTreeSet<ScalarType>,
    atomics: Vec<crate::program::ArrayId>,
    roots: Vec<ExprId>,
}

impl Needs {
    fn block(&mut self, list: &Block) {
        for stmt in list {
            self.roots.extend(walk::direct(&stmt.kind));
            if let StmtKind::Atomic { array, .. } = &stmt.kind {
                self.atomics.push(*array);
            }
            walk::nested(&stmt.kind).for_each(|b| self.block(b));
        }
    }

    fn expr(&mut self, p: &Program, id: ExprId) {
        let ty = p.exprs.ty(id);
        self.types.insert(ty);
        if ty != ScalarType::F32 {
            return;
        }
        match p.exprs.expr(id) {
            Expr::Bin(BinOp::Div, ..) | Expr::Un(UnOp::Sqrt, _) if p.options.math == Math::Exact => {
                self.needs.extend([Need::RoundedDivision, Need::Subnormals]);
            }
            Expr::Const(_) | Expr::Var(_) | Expr::Scalar(_) | Expr::Load(..) | Expr::Select(..) => {}
            _ => {
                self.needs.insert(Need::Subnormals);
            }
        }
    }
}
