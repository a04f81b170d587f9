//! R21. What one block writes by a counter below a number that the launch knows: `if i < r { out[base + i] = .. }`, or from the end
//! backwards. The last block of chunks does so.
//!
//! *Why:* the loop goes over every `i` below `r`, as `r` is at most its extent, and each writes an element of its own: those from `base`
//! on, or those up to `base`, `r` of them. Nothing else is written, since the condition alone decides. There is the block wherever `r` is
//! above zero, as there are `min(r, 1)` of it.

use super::output::{Part, Piece};
use crate::passes::access::{Site, Sites, Sure};
use crate::passes::index::{Sum, Table};
use crate::passes::walk;
use crate::program::{BinOp, Expr, ExprId, Program};

/// The interval that a part of one such write fills.
pub(super) fn piece(part: &Part<'_>, sites: &mut Sites<'_>) -> Option<Piece> {
    let [site] = part.sites[..] else { return None };
    if part.block.is_some() || site.open || site.width != 1 {
        return None;
    }
    let below = bound(sites.program(), site).filter(|&below| runs(sites.program(), part, below))?;
    let index = site.index.as_ref()?;
    let uniform = index.terms.iter().all(|(_, c)| c.as_uniform().is_some());
    let (first, step) = affine(&index.rest.spread(&site.extents, 1)).filter(|_| uniform)?;
    let len = sites.value(below)?;
    let base = Sum { terms: index.terms.clone(), rest: Table::uniform(first) };
    let start = match step {
        Step::Up => base,
        Step::Down => base.sub(&len, &[])?.add(&Sum::known(Table::uniform(1)), &[])?,
    };
    Some(Piece { start, len })
}

/// The number below which the only counter around a write must be for it to happen, where all of these are counted.
fn bound(p: &Program, site: &Site) -> Option<ExprId> {
    let Sure::If(cond) = site.guard.sure else { return None };
    let Expr::Bin(BinOp::Lt, counter, below) = p.exprs.expr(cond) else { return None };
    let Expr::Var(var) = p.exprs.expr(counter) else { return None };
    let ([only], [most]) = (&site.counters[..], &site.extents[..]) else { return None };
    let counted = p.exprs.range(below).hi <= i128::from(*most) && walk::known_at_launch(&p.exprs, below);
    (var == *only && counted && site.guard.mask.as_uniform() == Some(1)).then_some(below)
}

/// Whether there is the block wherever `below` is above zero.
fn runs(p: &Program, part: &Part<'_>, below: ExprId) -> bool {
    let is_one = |e| p.exprs.as_u32(e) == Some(1);
    match (&part.n.terms[..], part.n.rest.as_uniform()) {
        ([], Some(1)) => true,
        ([(symbols, times)], Some(0)) if symbols.len() == 1 && times.as_uniform() == Some(1) => {
            match p.exprs.expr(symbols[0]) {
                Expr::Bin(BinOp::Min, a, b) => (a == below && is_one(b)) || (b == below && is_one(a)),
                _ => false,
            }
        }
        _ => false,
    }
}

/// How an index goes on with the counter.
enum Step {
    Up,
    Down,
}

/// The first of some numbers, if each is one more than the last, or each one less.
fn affine(numbers: &[u32]) -> Option<(u32, Step)> {
    let &first = numbers.first()?;
    let goes = |step: u32| numbers.windows(2).all(|two| two[0].wrapping_add(step) == two[1]);
    match () {
        () if goes(1) => Some((first, Step::Up)),
        () if goes(u32::MAX) => Some((first, Step::Down)),
        () => None,
    }
}

/// A sum in which `n / d * d + n % d` is `n`.
pub(super) fn rejoined(p: &Program, sum: &Sum) -> Option<Sum> {
    let single = |(symbols, c): &(_, Table)| match (symbols as &std::rc::Rc<[ExprId]>, c.as_uniform()) {
        (symbols, Some(c)) if symbols.len() == 1 => Some((symbols[0], c)),
        _ => None,
    };
    let singles: Vec<(ExprId, u32)> = sum.terms.iter().filter_map(single).collect();
    let rests = singles.iter().filter(|(_, c)| *c == 1);
    let (rest, n, d) = rests.filter_map(|&(e, _)| remainder(p, e).map(|(n, d)| (e, n, d))).next()?;
    let whole = singles.iter().find(|&&(e, c)| c == d && quotient(p, e) == Some((n, d)))?.0;
    let taken = Sum::symbol(whole).scale(&Table::uniform(d), &[]).add(&Sum::symbol(rest), &[])?;
    sum.sub(&taken, &[])?.add(&Sum::symbol(n), &[])
}

/// `n % d`.
fn remainder(p: &Program, e: ExprId) -> Option<(ExprId, u32)> {
    match p.exprs.expr(e) {
        Expr::Bin(BinOp::Rem, n, d) => Some((n, p.exprs.as_u32(d)?)),
        Expr::Bin(BinOp::And, n, mask) => {
            let d = p.exprs.as_u32(mask)?.checked_add(1)?;
            d.is_power_of_two().then_some((n, d))
        }
        _ => None,
    }
}

/// `n / d`.
fn quotient(p: &Program, e: ExprId) -> Option<(ExprId, u32)> {
    match p.exprs.expr(e) {
        Expr::Bin(BinOp::Div, n, d) => Some((n, p.exprs.as_u32(d)?)),
        Expr::Bin(BinOp::Shr, n, by) => Some((n, 1u32.checked_shl(p.exprs.as_u32(by)?)?)),
        _ => None,
    }
}
