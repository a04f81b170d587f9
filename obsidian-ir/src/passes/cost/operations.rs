//! Arithmetic of a block: the operations that values are made of. Operations on indices and tests that only guard are
//! not counted; both sides of a choice are.

use super::report::Certainty;
use super::traffic::active;
use crate::passes::access::{Sites, Work};
use crate::passes::walk;
use crate::program::{BinOp, Expr, ExprId, Exprs, Math, Program, Reciprocal, ScalarType, UnClass, UnOp, VarId};
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

/// What a GPU approximates of what a program computes, in the order of this list.
pub(super) fn approximated(p: &Program) -> Vec<&'static str> {
    const ALL: [&str; 9] = ["/", "sqrt", "1 / x", "1 / sqrt(x)", "exp2", "log2", "sin", "cos", "tanh"];
    let mut roots = Vec::new();
    walk::each(&p.body, &mut |s| roots.extend(walk::direct(&s.kind)));
    let used = walk::reachable(&p.exprs, roots, |_| false);
    // The root of which only the reciprocal is asked for is no function of its own.
    let inside = used.iter().filter_map(|&id| match p.exprs.expr(id) {
        Expr::Bin(op, a, b) => matches!(Reciprocal::of(&p.exprs, op, a, b)?, Reciprocal::Root(_)).then_some(b),
        _ => None,
    });
    let (inside, mut found) = (inside.collect::<HashSet<ExprId>>(), HashSet::default());
    for &id in &used {
        let fast = p.options.math == Math::Fast && p.exprs.ty(id) == ScalarType::F32;
        match p.exprs.expr(id) {
            Expr::Bin(op @ BinOp::Div, a, b) if fast => found.insert(match Reciprocal::of(&p.exprs, op, a, b) {
                Some(Reciprocal::Root(_)) => "1 / sqrt(x)",
                Some(Reciprocal::Of(_)) => "1 / x",
                None => "/",
            }),
            Expr::Un(UnOp::Sqrt, _) if fast && !inside.contains(&id) => found.insert("sqrt"),
            Expr::Un(op, _) if op.class() == UnClass::Approximation => found.insert(op.name()),
            _ => false,
        };
    }
    ALL.into_iter().filter(|name| found.contains(name)).collect()
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
