//! R39. Rows as wide as the launch says: all accesses to an array lie in the row `row * width .. row * width + width`, whatever decides where in
//! it. So do `xs[t * w + j]` and `xs[t * w + j - 1]` where `0 < j < w`.

use std::ops::ControlFlow;

use super::accesses::{each_access, indices_of};
use super::prove::{Prover, ScopeId};
use crate::passes::index::Poly;
use crate::passes::walk::{self, reachable};
use crate::program::{ArrayId, BinOp, Expr, ExprId, Exprs, Program, ScalarType, VarId};
use crate::tables::HashMap;

/// The most products that are tried.
const MAX_ROWS: usize = 4;
/// The most terms of an index.
const MAX_TERMS: usize = 32;

/// A row of an array, as what uses it numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// Which one.
    pub(crate) row: ExprId,
    /// How many elements each has: the launch knows it.
    pub(crate) width: ExprId,
}

/// The ways to see an array as rows such that each access is in its own row, where `row * width` does not wrap.
pub(crate) fn rows(program: &Program, array: ArrayId) -> Vec<Row> {
    let lets = walk::lasting_lets(program);
    let mut rows = candidates(program, array, &lets);
    let _ = each_access(program, array, |prover, index, scope| {
        rows.retain(|row| row.has(prover, (index, &lets), scope));
        if rows.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    rows
}

/// The products in indices whose one factor the launch knows and whose other it does not.
fn candidates(program: &Program, array: ArrayId, lets: &HashMap<VarId, ExprId>) -> Vec<Row> {
    let exprs = &program.exprs;
    let mut found = Vec::new();
    let mut open = indices_of(program, array);
    let mut seen = open.clone();
    while let Some(index) = open.pop() {
        for e in reachable(exprs, [index], |_| false) {
            match exprs.expr(e) {
                Expr::Bin(BinOp::Mul, a, b) if exprs.ty(e) == ScalarType::U32 => {
                    let of = [(a, b), (b, a)].into_iter().find(|&(row, width)| {
                        exprs.known_at_launch(width) && !exprs.known_at_launch(row) && !exprs.loads(row)
                    });
                    let row = of.map(|(row, width)| Row { row, width });
                    found.extend(row.filter(|row| !found.contains(row)));
                }
                Expr::Var(var) => {
                    let value = lets.get(&var).copied().filter(|value| !seen.contains(value));
                    seen.extend(value);
                    open.extend(value);
                }
                _ => {}
            }
        }
    }
    found.truncate(MAX_ROWS);
    found
}

impl Row {
    /// Whether an index is in the row for certain: it is the row's start and terms whose sum, which is taken modulo `2^32` as the index is, lies
    /// within the width.
    fn has(&self, prover: &mut Prover<'_>, (index, lets): (ExprId, &HashMap<VarId, ExprId>), scope: ScopeId) -> bool {
        prover.budget.begin();
        let mut terms = terms(&prover.p.exprs, index, lets);
        let is_start = |&(term, sign): &(ExprId, i128)| match prover.p.exprs.expr(term) {
            Expr::Bin(BinOp::Mul, a, b) => sign == 1 && [(a, b), (b, a)].contains(&(self.row, self.width)),
            _ => false,
        };
        let Some(start) = terms.iter().position(is_start) else { return false };
        terms.swap_remove(start);
        let within = terms.into_iter().try_fold(Poly::default(), |sum, (term, sign)| {
            let term = prover.form(scope, term);
            sum.combine(1, &term, sign)
        });
        let Some(within) = within else { return false };
        let width = prover.form(scope, self.width);
        let left = width.minus(&within).map(|left| left.offset(-1));
        prover.certain(scope, &within) && left.is_some_and(|left| prover.certain(scope, &left))
    }
}

/// What an index is the sum of, modulo `2^32`, each with its sign; nothing where that is too much.
fn terms(exprs: &Exprs, index: ExprId, lets: &HashMap<VarId, ExprId>) -> Vec<(ExprId, i128)> {
    let (mut open, mut found) = (vec![(index, 1)], Vec::new());
    while let Some((e, sign)) = open.pop() {
        // The same sums may be in it over and over.
        if found.len() + open.len() > MAX_TERMS {
            return Vec::new();
        }
        match exprs.expr(e) {
            Expr::Bin(BinOp::Add, a, b) => open.extend([(a, sign), (b, sign)]),
            Expr::Bin(BinOp::Sub, a, b) => open.extend([(a, sign), (b, -sign)]),
            Expr::Var(var) => match lets.get(&var) {
                Some(&value) if matches!(exprs.expr(value), Expr::Bin(BinOp::Mul, ..)) => open.push((value, sign)),
                _ => found.push((e, sign)),
            },
            _ => found.push((e, sign)),
        }
    }
    found
}
