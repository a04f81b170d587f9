//! Arithmetic of a block: the operations that values are made of. Operations on indices and tests that only guard are
//! not counted; both sides of a choice are.

use super::report::Certainty;
use super::traffic::active;
use crate::passes::access::{Sites, Work};
use crate::passes::walk;
use crate::program::{Expr, ExprId, Exprs, Program, VarId};
use crate::tables::{HashMap, HashSet};

/// Operations of all threads of a block together; `None` if there are too many threads to evaluate.
pub(super) fn total(p: &Program, work: &[Work], sites: &mut Sites<'_>) -> (Option<u64>, Certainty) {
    let values = Values::of(p, work);
    let mut certainty = Certainty::Exact;
    let mut total = 0u64;
    for w in work {
        let needed = w.values.iter().filter(|(var, _)| var.is_none_or(|v| values.vars.contains(&v)));
        let operations: u64 = needed.map(|&(_, e)| operations(&p.exprs, e)).sum();
        if operations == 0 {
            continue;
        }
        let Some(lanes) = active(&w.mask, &w.extents, sites) else { return (None, certainty) };
        total = total.saturating_add(operations.saturating_mul(lanes));
        if w.open {
            certainty = Certainty::EachRound;
        }
    }
    (Some(total), certainty)
}

/// The variables that values are made of.
struct Values {
    vars: HashSet<VarId>,
}

impl Values {
    fn of(p: &Program, work: &[Work]) -> Values {
        let mut bound: HashMap<VarId, Vec<ExprId>> = HashMap::default();
        let mut todo: Vec<ExprId> = Vec::new();
        for &(var, value) in work.iter().flat_map(|w| &w.values) {
            match var {
                Some(var) => bound.entry(var).or_default().push(value),
                None => todo.push(value),
            }
        }
        let (mut vars, mut seen) = (HashSet::default(), HashSet::default());
        while let Some(e) = todo.pop() {
            if !seen.insert(e) {
                continue;
            }
            match p.exprs.expr(e) {
                Expr::Load(..) => {}
                Expr::Var(v) if vars.insert(v) => todo.extend(bound.get(&v).into_iter().flatten()),
                expr => todo.extend(walk::operands(expr)),
            }
        }
        Values { vars }
    }
}

/// The operations of a tree, without those of indices.
fn operations(exprs: &Exprs, root: ExprId) -> u64 {
    let is_load = |e: ExprId| matches!(exprs.expr(e), Expr::Load(..));
    let cost = |e: &ExprId| match exprs.expr(*e) {
        Expr::Un(..) | Expr::Bin(..) | Expr::Select(..) => 1,
        Expr::MulAdd(..) => 2,
        _ => 0,
    };
    walk::reachable(exprs, [root], is_load).iter().map(cost).sum()
}
