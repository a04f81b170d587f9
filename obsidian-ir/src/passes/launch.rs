//! Launch arithmetic is exact: a launch in which the number of blocks, the length of an output or a launch check is
//! not what the integers give is refused, so that proofs may take these values for integers, and one that divides by 0.
//!
//! Takes a program as `stage` made it; adds launch checks, and only where none says so yet. The checks themselves do not wrap.
//!
//! ```text
//! out out: u32[len(xs) * 3]           =>  out out: u32[len(xs) * 3]
//!                                         where len(xs) <= 1431655765
//! ```

use super::bounds::{Condition, Launch};
use super::verify::Limit;
use crate::level::Level;
use crate::passes::walk;
use crate::program::{BinOp, Expr, ExprId, LaunchCheck, ParamKind, Program, Range, ScalarType, StmtKind, print_expr};
use crate::tables::HashSet;

/// Adds the checks without which launch arithmetic may wrap.
pub(super) fn be_exact(p: &mut Program) {
    let roots = roots(p);
    exact(p, roots);
}

/// Adds the checks that keep launches within `limits`.
pub(super) fn keep_to(p: &mut Program, limits: &[Limit]) {
    for limit in limits {
        match limit {
            Limit::Blocks { blocks, most } => {
                let number = p.exprs.u32(*most);
                let cond = p.exprs.bin(BinOp::Le, *blocks, number);
                let message = format!("there must be at most {most} blocks, or indices wrap");
                add(p, LaunchCheck { cond, message, found: *blocks });
            }
            Limit::Product { factors, times } => product_below(p, factors, *times),
        }
    }
}

/// Adds the checks that keep a product of launch values and numbers below 2^32. The numbers are not multiplied with the values: one that
/// stands in a value would be multiplied with them first, modulo 2^32.
fn product_below(p: &mut Program, factors: &[ExprId], times: u32) {
    let (known, open): (Vec<ExprId>, Vec<ExprId>) =
        factors.iter().partition(|&&factor| p.exprs.as_u32(factor).is_some());
    let number = |e: ExprId| u64::from(p.exprs.as_u32(e).unwrap_or(u32::MAX));
    let times = known.into_iter().map(number).fold(u64::from(times), u64::saturating_mul);
    if times == 0 {
        return;
    }
    let one = p.exprs.u32(1);
    let product = open.into_iter().fold(one, |all, factor| p.exprs.bin(BinOp::Mul, all, factor));
    exact(p, [product]);
    let most = u32::try_from(u64::from(u32::MAX) / times).unwrap_or(0);
    if times == 1 || Launch::new(p).at_most(product, most.into()) {
        return;
    }
    let number = p.exprs.u32(most);
    let cond = p.exprs.bin(BinOp::Le, product, number);
    let message = format!("`{}` times {times} must be a number from 0 to 2^32 - 1", print_expr(p, product));
    add(p, LaunchCheck { cond, message, found: product });
}

/// Adds the checks without which some index may be out of range.
pub(super) fn require(p: &mut Program, conditions: impl IntoIterator<Item = Condition>) {
    for condition in conditions {
        let check = condition.into_check(p);
        add(p, check);
    }
}

fn add(p: &mut Program, check: LaunchCheck) {
    if p.exprs.as_const(check.cond).is_none_or(|c| c.bits == 0) && !p.checks.contains(&check) {
        p.checks.push(check);
    }
}

/// What is computed at a launch: numbers of blocks, lengths of outputs, the conditions of checks.
fn roots(p: &Program) -> Vec<ExprId> {
    let lens = p.params.iter().filter_map(|param| match param.kind {
        ParamKind::Output { len, .. } => Some(len),
        _ => None,
    });
    let mut all: Vec<ExprId> = p.checks.iter().map(|check| check.cond).chain(lens).collect();
    walk::each(&p.body, &mut |stmt| {
        if let StmtKind::DistrPar { level: Level::Block, n, .. } = stmt.kind {
            all.push(n);
        }
    });
    all
}

/// An operation of launch arithmetic.
struct Operation {
    e: ExprId,
    op: BinOp,
    a: ExprId,
    b: ExprId,
    /// Where it matters.
    given: Option<ExprId>,
}

/// Sees to it that no sum, difference or product in `roots` wraps, and nothing is divided by 0.
fn exact(p: &mut Program, roots: impl IntoIterator<Item = ExprId>) {
    let (mut operations, mut seen) = (Vec::new(), HashSet::default());
    for root in roots {
        operations_of(p, root, None, &mut seen, &mut operations);
    }
    let mut rest = &operations[..];
    while let Some(open) = first_open(p, rest) {
        require_exact(p, &rest[open]);
        rest = &rest[open + 1..];
    }
}

/// Those in `e`, operands first, where `given` holds.
fn operations_of(
    p: &mut Program,
    e: ExprId,
    given: Option<ExprId>,
    seen: &mut HashSet<(ExprId, Option<ExprId>)>,
    found: &mut Vec<Operation>,
) {
    if !seen.insert((e, given)) {
        return;
    }
    let expr = p.exprs.expr(e);
    if let Expr::Select(c, a, b) = expr {
        operations_of(p, c, given, seen, found);
        let not = p.exprs.un(crate::program::UnOp::Not, c);
        for (side, cond) in [(a, c), (b, not)] {
            let inner = given.map_or(cond, |outer| p.exprs.bin(BinOp::And, outer, cond));
            operations_of(p, side, Some(inner), seen, found);
        }
        return;
    }
    walk::operands(expr).for_each(|x| operations_of(p, x, given, seen, found));
    if let (Expr::Bin(op, a, b), ScalarType::U32) = (expr, p.exprs.ty(e)) {
        found.push(Operation { e, op, a, b, given });
    }
}

/// The first operation that may wrap. Provers are not made where ranges tell, and one answers for all.
fn first_open(p: &Program, operations: &[Operation]) -> Option<usize> {
    let mut launch = None;
    operations.iter().position(|operation| !is_known(p, operation, &mut launch))
}

/// Adds the check without which an operation may wrap.
fn require_exact(p: &mut Program, &Operation { e, op, a, b, given }: &Operation) {
    let Some((cond, found)) = fits(p, op, a, b) else { return };
    let cond = match given {
        None => cond,
        Some(given) => {
            let yes = p.exprs.bool(true);
            p.exprs.select(given, cond, yes)
        }
    };
    let message = match op {
        BinOp::Div | BinOp::Rem => format!("`{}` must not be 0: it divides", print_expr(p, b)),
        _ => format!("`{}` must be a number from 0 to 2^32 - 1", print_expr(p, e)),
    };
    add(p, LaunchCheck { cond, message, found });
}

/// The condition under which the operation does not wrap, without wrapping itself, and what to report. What is divided by 0 is 0 on
/// the host, and no value is promised on devices (PTX ISA, `div`).
fn fits(p: &mut Program, op: BinOp, a: ExprId, b: ExprId) -> Option<(ExprId, ExprId)> {
    if matches!(op, BinOp::Div | BinOp::Rem) {
        let zero = p.exprs.u32(0);
        return Some((p.exprs.bin(BinOp::Ne, b, zero), b));
    }
    let max = p.exprs.u32(u32::MAX);
    let (a, b) = if p.exprs.as_u32(a).is_some() && op != BinOp::Sub && op != BinOp::Shl { (b, a) } else { (a, b) };
    let cond = match op {
        BinOp::Add => {
            let most = p.exprs.bin(BinOp::Sub, max, b);
            p.exprs.bin(BinOp::Le, a, most)
        }
        BinOp::Sub => p.exprs.bin(BinOp::Le, b, a),
        BinOp::Mul => {
            // By zero there is no limit.
            let one = p.exprs.u32(1);
            let divisor = p.exprs.bin(BinOp::Max, b, one);
            let most = p.exprs.bin(BinOp::Div, max, divisor);
            p.exprs.bin(BinOp::Le, a, most)
        }
        BinOp::Shl => {
            let most = p.exprs.bin(BinOp::Shr, max, b);
            p.exprs.bin(BinOp::Le, a, most)
        }
        _ => return None,
    };
    Some((cond, a))
}

/// Whether the operation does not wrap for any launch that the checks let through, or cannot.
fn is_known<'p>(p: &'p Program, operation: &Operation, launch: &mut Option<Launch<'p>>) -> bool {
    let &Operation { op, a, b, .. } = operation;
    let full = Range::full(ScalarType::U32);
    let (x, y) = (p.exprs.range(a), p.exprs.range(b));
    let hi = match op {
        BinOp::Add => x.hi + y.hi,
        BinOp::Mul => x.hi * y.hi,
        BinOp::Shl if y.hi < 32 => x.hi << y.hi,
        BinOp::Sub if x.lo >= y.hi => full.lo,
        BinOp::Div | BinOp::Rem if y.lo > 0 => full.lo,
        BinOp::Shl | BinOp::Sub | BinOp::Div | BinOp::Rem => full.hi + 1,
        _ => full.lo,
    };
    if hi <= full.hi {
        return true;
    }
    let launch = launch.get_or_insert_with(|| Launch::new(p));
    match (op, p.exprs.as_u32(a), p.exprs.as_u32(b)) {
        (BinOp::Div | BinOp::Rem, ..) => launch.at_least_one(b),
        (BinOp::Add, ..) => launch.sum_at_most(a, b, u32::MAX.into()),
        (BinOp::Sub, ..) => launch.at_least(a, 1, b),
        (BinOp::Mul, Some(k), _) if k > 0 => launch.at_most(b, u64::from(u32::MAX / k)),
        (BinOp::Mul, _, Some(k)) if k > 0 => launch.at_most(a, u64::from(u32::MAX / k)),
        (BinOp::Shl, _, Some(k)) => launch.at_most(a, u64::from(u32::MAX.checked_shr(k).unwrap_or(0))),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
