//! R22. Double buffers and turns: places, and conditions, that depend on `k % d` and `(k + 1) % d`, for a number `k` that all parties share.
//!
//! *Why:* in one round all are decided by one of `d` numbers, the remainder of `k`. For each of these the indices are compared as if it were
//! known, in the lanes that conditions leave then. Adding a constant to `k` may wrap, which a power of two as `d` does not notice.

use crate::passes::access::{ByData, Site, Sites, small_remainder};
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, Expr, ExprId, Program, VarId};
use crate::tables::HashSet;

/// A symbol that is `(base + add) % divisor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Residue {
    symbol: ExprId,
    base: ExprId,
    add: u32,
    divisor: u32,
}

/// The sites once for each remainder that decides them; none where there is no such, or where a party has one of its own.
pub(super) fn cases(p: &Program, sites: &[Site], own: &HashSet<VarId>, finder: &Sites<'_>) -> Vec<Vec<Site>> {
    let indices = sites.iter().filter_map(Site::known);
    let symbols = indices.flat_map(|index| index.terms.iter().flat_map(|(symbols, _)| symbols.iter().copied()));
    let all: HashSet<ExprId> = symbols.filter(|&e| !finder.depends(&[e], own)).collect();
    let mut residues: Vec<Residue> = all.into_iter().filter_map(|e| residue(p, e)).collect();
    residues.sort_by_key(|residue| residue.symbol);
    let guards = sites.iter().filter_map(|site| site.guard.by_rest.as_ref());
    let guards = guards.filter(|by_rest| !finder.depends(&[by_rest.base], own));
    let of_guards = guards.map(|by_rest| (by_rest.base, by_rest.masks.len() as u32));
    let of_indices = residues.first().map(|first| (first.base, first.divisor));
    let Some((base, divisor)) = of_indices.or_else(|| of_guards.clone().next()) else { return Vec::new() };
    residues.retain(|other| (other.base, other.divisor) == (base, divisor));
    // What is below the divisor is its own remainder, and has no other name.
    let range = p.exprs.range(base);
    if range.lo >= 0 && range.hi < divisor.into() {
        residues.push(Residue { symbol: base, base, add: 0, divisor });
    }
    let most = of_guards.filter(|guard| guard.0 == base).map(|guard| guard.1).max().unwrap_or(0).max(divisor);
    let case = |rest: u32| sites.iter().map(|site| given(site, &residues, (base, rest))).collect::<Option<Vec<Site>>>();
    (0..most).map(case).collect::<Option<_>>().unwrap_or_default()
}

/// A site in a round in which a number leaves `rest`.
fn given(site: &Site, residues: &[Residue], (base, rest): (ExprId, u32)) -> Option<Site> {
    let left = |index: &Sum| {
        let value = |residue: &Residue| Sum::known(Table::uniform((rest + residue.add) % residue.divisor));
        let known: Vec<_> = residues.iter().map(|residue| (residue.symbol, value(residue))).collect();
        index.given(&known, &site.extents)
    };
    let mut site = site.clone();
    if let Some(by_rest) = site.guard.by_rest.take().filter(|by_rest| by_rest.base == base) {
        let lanes = &by_rest.masks[rest as usize % by_rest.masks.len()];
        site.guard.mask = site.guard.mask.map2(lanes, &site.extents, |a, b| a & b);
    }
    if let Some(index) = &site.index {
        return Some(Site { index: Some(left(index)?), ..site });
    }
    let known = |way: &ByData| Some(ByData { known: left(&way.known)?, ..way.clone() });
    Some(Site { by_data: site.by_data.iter().map(known).collect::<Option<_>>()?, ..site })
}

/// A remainder by a small power of two, as that of a number and a constant.
fn residue(p: &Program, symbol: ExprId) -> Option<Residue> {
    let (of, divisor) = small_remainder(p, symbol)?;
    let (base, add) = match p.exprs.expr(of) {
        Expr::Bin(BinOp::Add, a, b) => match (p.exprs.as_u32(a), p.exprs.as_u32(b)) {
            (Some(c), _) => (b, c),
            (_, Some(c)) => (a, c),
            _ => (of, 0),
        },
        Expr::Bin(BinOp::Sub, a, b) => match p.exprs.as_u32(b) {
            Some(c) => (a, c.wrapping_neg()),
            None => (of, 0),
        },
        _ => (of, 0),
    };
    Some(Residue { symbol, base, add: add % divisor, divisor })
}
