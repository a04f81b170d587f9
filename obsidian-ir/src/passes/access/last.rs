//! Grids whose last block does something else than the others, as a grid over chunks does: `if b < whole { .. } else { .. }`,
//! where `whole` is known at launch and there is at most one block more.
//!
//! Takes the body of such a grid; gives both sides, and puts what the last block touches where block `whole` of the others
//! would, so that the two can be looked at as one grid. `verify` proves both sides; `cost` counts the first, which all blocks but one do.

use super::Site;
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, Block, Expr, ExprId, Program, Stmt, StmtKind, VarId};

/// The body of a grid whose last block is another.
pub(crate) struct Sides<'p> {
    /// The names of values before the branch.
    pub(crate) names: &'p [Stmt],
    /// The number of blocks that do `then`, and of the one that does not.
    pub(crate) whole: ExprId,
    pub(crate) then: &'p Block,
    pub(crate) els: &'p Block,
}

/// The sides of the body of a grid of `n` blocks, if it has such.
pub(crate) fn sides<'p>(p: &'p Program, block: VarId, n: ExprId, body: &'p Block) -> Option<Sides<'p>> {
    let at = body.iter().position(|stmt| !matches!(stmt.kind, StmtKind::Let { .. }))?;
    let (names, rest) = body.split_at(at);
    let (branch, rest) = rest.split_first()?;
    let StmtKind::If { cond, then, els } = &branch.kind else { return None };
    let Expr::Bin(BinOp::Lt, number, whole) = p.exprs.expr(*cond) else { return None };
    let ends = rest.iter().all(|stmt| matches!(stmt.kind, StmtKind::Sync { .. }));
    let is_block = matches!(p.exprs.expr(number), Expr::Var(var) if var == block);
    (ends && is_block && p.exprs.known_at_launch(whole) && at_most_one_more(p, whole, n)).then_some(Sides {
        names,
        whole,
        then,
        els,
    })
}

/// Whether `n` is `whole`, or one more: `whole + min(.., 1)`.
fn at_most_one_more(p: &Program, whole: ExprId, n: ExprId) -> bool {
    if let (Some(whole), Some(n)) = (p.exprs.as_u32(whole), p.exprs.as_u32(n)) {
        return n.checked_sub(whole).is_some_and(|more| more <= 1);
    }
    match p.exprs.expr(n) {
        Expr::Bin(BinOp::Add, a, b) => {
            (a == whole && p.exprs.range(b).hi <= 1) || (b == whole && p.exprs.range(a).hi <= 1)
        }
        _ => n == whole,
    }
}

/// A site of the last block, its element counted from where block `number` of the others begins: their parts are `step`
/// apart, and there are `whole` of them.
pub(crate) fn among_the_others(site: &Site, whole: &Sum, number: ExprId, step: u32) -> Option<Site> {
    let step = Table::uniform(step);
    let index = site.index.as_ref()?.sub(&whole.scale(&step, &[]), &site.extents)?;
    let index = index.add(&Sum::symbol(number).scale(&step, &[]), &site.extents)?;
    Some(Site { index: Some(index), ..site.clone() })
}

/// A site of the last block, with its number `number` said as the `whole` that it is.
pub(crate) fn by_count(site: Site, number: ExprId, whole: &Sum) -> Site {
    let moved = |index: &Sum| {
        let times = index.terms.iter().find(|(symbols, _)| **symbols == [number])?.1.clone();
        let index = index.sub(&Sum::symbol(number).scale(&times, &site.extents), &site.extents)?;
        index.add(&whole.scale(&times, &site.extents), &site.extents)
    };
    match site.index.as_ref().and_then(moved) {
        Some(index) => Site { index: Some(index), ..site },
        None => site,
    }
}
