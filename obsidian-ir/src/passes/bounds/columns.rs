//! R40. Columns of rows as wide as the launch says: each access to an array is at `row * width + column` with one `column` below the width, whatever the
//! row is. So are `m[r * w + c]`, `m[(r - 1) * w + c]` and `m[c]`.

use std::ops::ControlFlow;

use super::accesses::{each_access, indices_of};
use super::prove::{Prover, ScopeId};
use crate::passes::index::Poly;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Expr, ExprId, Exprs, Program, VarId};
use crate::tables::HashMap;

/// The most columns that are tried.
const MAX_COLUMNS: usize = 4;

/// A place in each row of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Column {
    /// Which one.
    column: ExprId,
    /// How many elements each row has: the launch knows it.
    width: ExprId,
}

type Lets = HashMap<VarId, ExprId>;

/// The ways to see an array as rows such that all accesses are in one column: the column of each.
pub(crate) fn columns(program: &Program, array: ArrayId) -> Vec<ExprId> {
    let lets = walk::lasting_lets(program);
    let mut columns = candidates(program, array, &lets);
    let _ = each_access(program, array, |prover, index, scope| {
        let meant = named(&prover.p.exprs, index, &lets);
        columns.retain(|column| [index, meant].into_iter().any(|index| column.has(prover, index, scope)));
        if columns.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    columns.into_iter().map(|found| found.column).collect()
}

/// What stands beside a product by a number of the launch.
fn candidates(program: &Program, array: ArrayId, lets: &Lets) -> Vec<Column> {
    let exprs = &program.exprs;
    let mut found = Vec::new();
    for index in indices_of(program, array) {
        for (product, column) in sides(exprs, named(exprs, index, lets)) {
            let Expr::Bin(BinOp::Mul, a, b) = exprs.expr(named(exprs, product, lets)) else { continue };
            let widths = [a, b].into_iter().filter(|&width| exprs.known_at_launch(width));
            for candidate in widths.map(|width| Column { column, width }) {
                if !found.contains(&candidate) {
                    found.push(candidate);
                }
            }
        }
    }
    found.truncate(MAX_COLUMNS);
    found
}

/// The two terms of a sum, either first; none of anything else.
fn sides(exprs: &Exprs, e: ExprId) -> Vec<(ExprId, ExprId)> {
    match exprs.expr(e) {
        Expr::Bin(BinOp::Add, a, b) => vec![(a, b), (b, a)],
        _ => Vec::new(),
    }
}

/// What a name stands for.
fn named(exprs: &Exprs, e: ExprId, lets: &Lets) -> ExprId {
    match exprs.expr(e) {
        Expr::Var(var) => lets.get(&var).copied().unwrap_or(e),
        _ => e,
    }
}

impl Column {
    /// Whether an index is in the column for certain: less the column it is a multiple of the width, as integers.
    fn has(&self, prover: &mut Prover<'_>, index: ExprId, scope: ScopeId) -> bool {
        prover.budget.begin();
        let [index, column, width] = [index, self.column, self.width].map(|e| prover.form(scope, e));
        let Some(before) = index.minus(&column) else { return false };
        let left = width.minus(&column).map(|left| left.offset(-1));
        // The column is no less than 0: it is of an unsigned type.
        is_multiple(prover, &before, &width) && left.is_some_and(|left| prover.certain(scope, &left))
    }
}

/// Whether a number is visibly a multiple of a width that is one number of the launch.
fn is_multiple(prover: &mut Prover<'_>, n: &Poly, width: &Poly) -> bool {
    let Some((width, 1, 0)) = width.single() else { return false };
    prover.polys.is_multiple(n, width)
}
