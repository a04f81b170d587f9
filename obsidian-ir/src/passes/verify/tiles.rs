//! R27. Tiles of a matrix whose rows and columns the launch knows, cut off at its far edges: block `t` writes
//! `(t / across * R + y) * cols + (t % across * C + x)` where both coordinates are inside.
//!
//! *Why:* a number below `down * across` is `q * across + m` for one `q` below `down` and one `m` below `across`. If the `(y, x)` of the
//! lanes are each place of a tile once, the coordinates `(R * q + y, C * m + x)` are each pair below `R * down` and `C * across` once,
//! as neither wraps; and where these reach `rows` and `cols`, each pair below those is among them, which the condition alone lets
//! through. Pairs inside are elements `row * cols + column`, each another one, all below `rows * cols`, which does not wrap either.

use super::output::Part;
use super::report::Verdict;
use super::{Limit, Verify};
use crate::passes::access::{Site, Sites, below};
use crate::passes::bounds::shown;
use crate::passes::index::{Sum, Table, lanes_of};
use crate::program::{BinOp, Expr, ExprId, Program};
use crate::tables::HashSet;

/// Places of a tile, at most.
const MAX_PLACES: u64 = 1 << 16;

/// A coordinate of a site: as many of its size as `digit` says, and where in that a lane is.
struct Coordinate {
    digit: ExprId,
    size: u32,
    places: Table,
    limit: ExprId,
}

impl Verify<'_> {
    /// The verdict of an output of `len` elements that `blocks` blocks write in such tiles; `None` where they do not.
    pub(super) fn tiles(&mut self, part: &Part<'_>, blocks: ExprId, len: ExprId) -> Option<Verdict> {
        let block = part.block?;
        let product = |e| match self.p.exprs.expr(e) {
            Expr::Bin(BinOp::Mul, a, b) => Some((a, b)),
            _ => None,
        };
        let (sides, counts) = (product(len)?, product(blocks)?);
        let all: Vec<[Coordinate; 2]> =
            part.sites.iter().map(|site| coordinates(site, sides, &mut self.sites)).collect::<Option<_>>()?;
        let first = all.first()?;
        let alike = |c: &Coordinate, d: &Coordinate| (c.digit, c.size, c.limit) == (d.digit, d.size, d.limit);
        if !all.iter().all(|[row, column]| alike(row, &first[0]) && alike(column, &first[1])) {
            return None;
        }
        let digits = [first[0].digit, first[1].digit];
        let of = count_of(self.p, block, digits, counts)?;
        if !each_place_once(part, &all, &mut self.sites) {
            return Some(Verdict::Unproved("a block does not write each place of its tile once".to_string()));
        }
        for (coordinate, count) in first.iter().zip(of) {
            if !self.reaches(coordinate, count) {
                let [count, limit] = [count, coordinate.limit].map(|e| shown(self.p, e));
                let why = format!("`{count}` tiles of {} are not known to reach `{limit}`", coordinate.size);
                return Some(Verdict::Unproved(why));
            }
        }
        let factors = vec![counts.0, counts.1];
        if !self.launch().product_at_most(&factors, u32::MAX.into()) {
            self.limits.push(Limit::Product { factors, times: 1 });
        }
        Some(Verdict::Proved)
    }

    /// Whether `count` times the size of a coordinate is its limit or more, and does not wrap.
    fn reaches(&mut self, coordinate: &Coordinate, count: ExprId) -> bool {
        let most = (1u64 << 32) / u64::from(coordinate.size.max(1));
        let few = self.p.exprs.range(count).hi <= most.into() || self.launch().at_most(count, most);
        few && self.launch().at_least(count, coordinate.size, coordinate.limit)
    }
}

/// The row and the column of a site that writes where both are below the sides of the matrix, and only there.
fn coordinates(site: &Site, sides: (ExprId, ExprId), sites: &mut Sites<'_>) -> Option<[Coordinate; 2]> {
    if site.open || site.width != 1 || site.extents.contains(&0) {
        return None;
    }
    let p = sites.program();
    let mut inside = Vec::new();
    for (cond, truth) in sites.conditions(site.guard.sure)? {
        let comparisons = below(p, cond);
        if !truth || comparisons.is_empty() {
            return None;
        }
        inside.extend(comparisons);
    }
    let [one, other] = inside[..] else { return None };
    [[one, other], [other, one]].into_iter().find_map(|[row, column]| {
        if (row.1, column.1) != sides && (column.1, row.1) != sides {
            return None;
        }
        let width = sites.value(column.1)?;
        let [r, c] = [sites.compared(row.0)?, sites.compared(column.0)?];
        let at = r.mul(&width, &site.extents)?.add(c, &site.extents)?;
        let apart = at.sub(site.index.as_ref()?, &site.extents)?;
        let same = |table: &Table| table.spread(&site.extents, site.extents.len()).iter().all(|&v| v == 0);
        let is_index = same(&apart.rest) && apart.terms.iter().all(|(_, times)| same(times));
        is_index.then(|| Some([coordinate(r, row.1)?, coordinate(c, column.1)?]))?
    })
}

/// A coordinate that is a multiple of one symbol, and what lanes add.
fn coordinate(value: &Sum, limit: ExprId) -> Option<Coordinate> {
    let [(symbols, size)] = &value.terms[..] else { return None };
    let [digit] = symbols[..] else { return None };
    Some(Coordinate { digit, size: size.as_uniform()?, places: value.rest.clone(), limit })
}

/// How many values each of two digits has: `block / n` and `block % n` of `m * n` blocks, in either order.
fn count_of(p: &Program, block: ExprId, digits: [ExprId; 2], (a, b): (ExprId, ExprId)) -> Option<[ExprId; 2]> {
    let by = |divisor: Divisor, n: ExprId| match divisor {
        Divisor::Known(d) => p.exprs.as_u32(n) == Some(d),
        Divisor::Of(d) => d == n,
    };
    let is_high = |e, n| high(p, e).is_some_and(|(x, d)| x == block && by(d, n));
    let is_low = |e, n| low(p, e).is_some_and(|(x, d)| x == block && by(d, n));
    [(a, b), (b, a)].into_iter().find_map(|(m, n)| match digits {
        [row, column] if is_high(row, n) && is_low(column, n) => Some([m, n]),
        [row, column] if is_low(row, n) && is_high(column, n) => Some([n, m]),
        _ => None,
    })
}

/// What a number is divided by.
enum Divisor {
    Of(ExprId),
    Known(u32),
}

/// `x / n`.
fn high(p: &Program, e: ExprId) -> Option<(ExprId, Divisor)> {
    match p.exprs.expr(e) {
        Expr::Bin(BinOp::Div, x, n) => Some((x, Divisor::Of(n))),
        Expr::Bin(BinOp::Shr, x, by) => Some((x, Divisor::Known(1u32.checked_shl(p.exprs.as_u32(by)?)?))),
        _ => None,
    }
}

/// `x % n`.
fn low(p: &Program, e: ExprId) -> Option<(ExprId, Divisor)> {
    match p.exprs.expr(e) {
        Expr::Bin(BinOp::Rem, x, n) => Some((x, Divisor::Of(n))),
        Expr::Bin(BinOp::And, x, mask) => {
            let n = p.exprs.as_u32(mask)?.checked_add(1)?;
            n.is_power_of_two().then_some((x, Divisor::Known(n)))
        }
        _ => None,
    }
}

/// Whether the lanes are at each place of a tile once.
fn each_place_once(part: &Part<'_>, all: &[[Coordinate; 2]], sites: &mut Sites<'_>) -> bool {
    let Some([row, column]) = all.first() else { return false };
    let (rows, columns) = (row.size, column.size);
    let places = u64::from(rows) * u64::from(columns);
    let mut met: HashSet<(u32, u32)> = HashSet::default();
    for (site, [row, column]) in part.sites.iter().zip(all) {
        let lanes = lanes_of(&site.extents);
        if places > MAX_PLACES || lanes > places || !sites.budget().take(2 * lanes) {
            return false;
        }
        let rows_of = site.among(&row.places);
        for ((_, y), (_, x)) in rows_of.into_iter().zip(site.among(&column.places)) {
            if y >= rows || x >= columns || !met.insert((y, x)) {
                return false;
            }
        }
    }
    met.len() as u64 == places
}
