//! R22. Double buffers: places that depend on `k % d` and `(k + 1) % d`, for a number `k` that all parties share.
//!
//! *Why:* in one round both are decided by one of `d` numbers, the remainder of `k`. For each of these the indices are compared as if it were
//! known. Adding a constant to `k` may wrap, which a power of two as `d` does not notice.

use crate::passes::access::{ByData, Site, Sites};
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, Expr, ExprId, Program, VarId};
use crate::tables::HashSet;

/// The largest `d`.
const MAX_DIVISOR: u32 = 8;

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
    let Some(&first) = residues.first() else { return Vec::new() };
    residues.retain(|other| (other.base, other.divisor) == (first.base, first.divisor));
    // What is below the divisor is its own remainder, and has no other name.
    let range = p.exprs.range(first.base);
    if range.lo >= 0 && range.hi < first.divisor.into() {
        residues.push(Residue { symbol: first.base, add: 0, ..first });
    }
    let case = |rest: u32| sites.iter().map(|site| given(site, &residues, rest)).collect::<Option<Vec<Site>>>();
    (0..first.divisor).map(case).collect::<Option<_>>().unwrap_or_default()
}

/// A site in a round whose number leaves `rest`.
fn given(site: &Site, residues: &[Residue], rest: u32) -> Option<Site> {
    let left = |index: &Sum| left(index, residues, rest, &site.extents);
    if let Some(index) = &site.index {
        return Some(Site { index: Some(left(index)?), ..site.clone() });
    }
    let known = |way: &ByData| Some(ByData { known: left(&way.known)?, ..way.clone() });
    Some(Site { by_data: site.by_data.iter().map(known).collect::<Option<_>>()?, ..site.clone() })
}

/// An index in such a round.
fn left(index: &Sum, residues: &[Residue], rest: u32, extents: &[u32]) -> Option<Sum> {
    let mut left = Sum::known(index.rest.clone());
    for (symbols, coefficient) in &index.terms {
        let term = match residues.iter().find(|residue| **symbols == [residue.symbol]) {
            Some(residue) => {
                let value = Table::uniform((rest + residue.add) % residue.divisor);
                Sum::known(coefficient.mul(&value, extents))
            }
            None => Sum { terms: vec![(symbols.clone(), coefficient.clone())], rest: Table::uniform(0) },
        };
        left = left.add(&term, extents)?;
    }
    Some(left)
}

/// A remainder by a small power of two, as that of a number and a constant.
fn residue(p: &Program, symbol: ExprId) -> Option<Residue> {
    let (of, divisor) = match p.exprs.expr(symbol) {
        Expr::Bin(BinOp::Rem, of, d) => (of, p.exprs.as_u32(d)?),
        Expr::Bin(BinOp::And, of, mask) => (of, p.exprs.as_u32(mask)?.checked_add(1)?),
        _ => return None,
    };
    // The remainder of a negative number is another.
    if !p.exprs.ty(symbol).is_unsigned() {
        return None;
    }
    if !divisor.is_power_of_two() || !(2..=MAX_DIVISOR).contains(&divisor) {
        return None;
    }
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
