//! Writes in both sides of a branch on a value that is not known while compiling: together they are one write that is sure.

use crate::passes::access::{Kind, Site, Sure, is_fixed};
use crate::passes::index::Table;
use crate::program::{BinOp, Expr, ExprId, Program};

/// The sites, where two such writes are one that is sure.
pub(super) fn joined(p: &Program, mut sites: Vec<Site>) -> Vec<Site> {
    let mut at = 0;
    while at < sites.len() {
        if let (Sure::If(cond), Kind::Write) = (sites[at].guard.sure, sites[at].kind)
            && let Some(other) = sites.iter().position(|other| completes(p, &sites[at], other, cond))
            && is_fixed(p, cond, |_| false)
        {
            sites[at].guard.sure = Sure::Always;
            sites.remove(other);
            at -= usize::from(other < at);
        }
        at += 1;
    }
    sites
}

/// Whether `other` does in the lanes without `cond` what `site` does in those with it.
fn completes(p: &Program, site: &Site, other: &Site, cond: ExprId) -> bool {
    let same = |a: &Table, b: &Table| {
        a == b || a.spread(&site.extents, site.extents.len()) == b.spread(&site.extents, site.extents.len())
    };
    let (Some(a), Some(b)) = (&site.index, &other.index) else { return false };
    let opposite = match other.guard.sure {
        Sure::Unless(of) => of == cond,
        Sure::If(of) => are_opposite(p, cond, of),
        _ => false,
    };
    opposite
        && (site.array, site.kind, site.team, site.warp) == (other.array, other.kind, other.team, other.warp)
        && site.extents == other.extents
        && site.claim == other.claim
        && a.terms == b.terms
        && same(&a.rest, &b.rest)
        && same(&site.guard.mask, &other.guard.mask)
}

/// Whether of two comparisons of integers one holds where the other does not.
pub(super) fn are_opposite(p: &Program, one: ExprId, other: ExprId) -> bool {
    let comparison = |e| match p.exprs.expr(e) {
        Expr::Bin(op, a, b) if p.exprs.ty(a).is_int() => Some((op, a, b)),
        _ => None,
    };
    let (Some((op, a, b)), Some(other)) = (comparison(one), comparison(other)) else { return false };
    let (same, turned) = match op {
        BinOp::Lt => (BinOp::Ge, BinOp::Le),
        BinOp::Ge => (BinOp::Lt, BinOp::Gt),
        BinOp::Gt => (BinOp::Le, BinOp::Ge),
        BinOp::Le => (BinOp::Gt, BinOp::Lt),
        BinOp::Eq => (BinOp::Ne, BinOp::Ne),
        BinOp::Ne => (BinOp::Eq, BinOp::Eq),
        _ => return false,
    };
    other == (same, a, b) || other == (turned, b, a)
}
