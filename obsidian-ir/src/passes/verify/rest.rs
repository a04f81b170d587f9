//! R21. The last block of chunks, for the `n % d` elements that whole chunks of `d` leave: where there is that block, and what all
//! write together. What it writes itself are runs, as R28 has them.
//!
//! *Why:* there are `min(r, 1)` blocks for `r` elements, so there is one wherever something is left; and `n / d * d + n % d` is `n`.

use super::output::Part;
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, Expr, ExprId, Program};

/// Whether there is the block wherever `below` is above zero.
pub(super) fn is_there(p: &Program, part: &Part<'_>, below: ExprId) -> bool {
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

/// Whether two sums are one number, as `n - n / d * d` and `n % d` are.
pub(super) fn are_equal(p: &Program, a: &Sum, b: &Sum) -> bool {
    let is_zero = |sum: &Sum| sum.terms.is_empty() && sum.rest.as_uniform() == Some(0);
    a == b || b.sub(a, &[]).and_then(|left| rejoined(p, &left)).is_some_and(|left| is_zero(&left))
}

/// A sum in which `n / d * d + n % d` is `n`.
fn rejoined(p: &Program, sum: &Sum) -> Option<Sum> {
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
