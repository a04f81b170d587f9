//! Outputs: each element is written exactly once by the whole grid.
//!
//! Takes the writes of one output, grid by grid (a `DistrPar` of blocks), with the loops inside a block as lanes and
//! the block as a symbol. Each grid must write an interval; the intervals, one after another, must be the output.

use super::cases::interval;
use super::report::{Fault, Verdict};
use super::{by_data, counters, rest};
use crate::passes::access::{Kind, Site, Sites, Sure};
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, Expr, ExprId, Program, VarId};
use crate::tables::HashSet;

/// The writes of one grid to one output.
#[derive(Clone)]
pub(super) struct Part<'a> {
    pub(super) sites: Vec<&'a Site>,
    /// The block's number; `None` where there is at most one.
    pub(super) block: Option<ExprId>,
    /// How many blocks.
    pub(super) n: Sum,
}

/// What needs every element of an output.
pub(super) const WHOLE: &str = "the whole output is to be written";

/// An interval of the output: where it starts and how long it is.
pub(super) struct Piece {
    pub(super) start: Sum,
    pub(super) len: Sum,
}

/// The low bits by which elements are told apart, at most.
const MAX_LOW_BITS: u32 = 3;

/// Whether no two blocks touch an element that one of them writes, where block `b` touches `step * b + something`: what lies in the same class of
/// elements, by their low bits, lies within `step` elements, but where all only read. Gives the step, or `None` where this is not so. It holds for any number of blocks for which `step * blocks` does not wrap. Counters in
/// `own` have another value in each block, and what data adds may be another number each time (R37).
pub(super) fn blocks_apart(
    found: &[Site],
    block: Option<ExprId>,
    own: &HashSet<VarId>,
    sites: &Sites<'_>,
) -> Option<u32> {
    let p = sites.program();
    let is_block = |symbols: &[ExprId]| block.is_some_and(|b| symbols == [b]);
    let number = variable(p, block);
    let mut touched: Vec<(i128, i128, bool)> = Vec::new();
    let mut form: Option<Vec<_>> = None;
    for site in found {
        let (known, data) = match (&site.index, site.by_data.first()) {
            (Some(index), _) => (index, &[][..]),
            (None, by_data) => (&by_data?.known, &by_data?.terms[..]),
        };
        let (shared, counted) = counters::split(known, own, sites);
        let fits = |(s, c): &(std::rc::Rc<[ExprId]>, Table)| {
            c.as_uniform().is_some() && (is_block(s) || !sites.depends(s, &number))
        };
        if !shared.iter().all(|&term| fits(term)) || form.as_ref().is_some_and(|f| *f != shared) {
            return None;
        }
        form = Some(shared);
        let mut added = (0, 0);
        for &term in &counted {
            let (low, high) = counters::range(p, term).filter(|_| !sites.depends(&term.0, &number))?;
            added = (added.0 + low, added.1 + high);
        }
        for (low, high) in data.iter().map(by_data::reach) {
            added = (added.0 + low, added.1 + high);
        }
        for (_, e) in site.among(&known.rest) {
            let e = i128::from(e as i32);
            touched.push((e + added.0, e + added.1, site.kind != Kind::Read));
        }
    }
    let step = form.and_then(|f| f.iter().find(|(s, _)| is_block(s)).and_then(|(_, c)| c.as_uniform())).unwrap_or(0);
    let step = (step as i32).unsigned_abs();
    let counted = touched.iter().any(|(low, high, _)| low != high);
    let classes: i128 = if counted { 1 } else { 1 << step.trailing_zeros().min(MAX_LOW_BITS) };
    let are_apart = (0..classes).all(|class| {
        let of = || touched.iter().filter(|(low, ..)| low.rem_euclid(classes) == class);
        let low = of().map(|&(low, ..)| low).min().unwrap_or(0);
        let high = of().map(|&(_, high, _)| high).max().unwrap_or(0);
        high - low < step.into() || of().all(|&(.., writes)| !writes)
    });
    are_apart.then_some(step)
}

/// The variable that an expression reads.
pub(super) fn variable(p: &Program, e: Option<ExprId>) -> HashSet<VarId> {
    match e.map(|e| p.exprs.expr(e)) {
        Some(Expr::Var(var)) => HashSet::from_iter([var]),
        _ => HashSet::default(),
    }
}

/// Whether every write is guarded by nothing but `index < len`, or by the same of whole rows: if without the guards block after block wrote elements that
/// reach to `len` or beyond, then with them each of the `len` elements is written once.
pub(super) fn cut_off(p: &Program, part: &Part<'_>, len: ExprId) -> bool {
    part.sites.iter().all(|site| match site.guard.sure {
        Sure::If(cond) => match p.exprs.expr(cond) {
            Expr::Bin(BinOp::Lt, i, n) => n == len && i == site.at || of_rows(p, (i, n), (site.at, len)),
            _ => false,
        },
        _ => false,
    })
}

/// Whether `row < rows` is `index < len`, because `len` is `rows * width`, and `index` is `row * width` and less than a row more.
fn of_rows(p: &Program, (row, rows): (ExprId, ExprId), (index, len): (ExprId, ExprId)) -> bool {
    let product = |e| match p.exprs.expr(e) {
        Expr::Bin(BinOp::Mul, a, b) => Some((a, p.exprs.as_u32(b)?)),
        _ => None,
    };
    let Some((_, width)) = product(len).filter(|&(of, _)| of == rows) else { return false };
    let (first, rest) = match p.exprs.expr(index) {
        Expr::Bin(BinOp::Add, first, rest) => (first, p.exprs.range(rest).hi),
        _ => (index, 0),
    };
    product(first) == Some((row, width)) && rest < width.into()
}

/// What blocks write whose last one is [`cut_off`]: how many elements each; or why that is not known.
pub(super) fn each_cut_off(part: &Part<'_>, sites: &mut Sites<'_>) -> Result<u32, Verdict> {
    let open: Vec<Site> = unguarded(part);
    let open = Part { sites: open.iter().collect(), ..part.clone() };
    if piece(&open, sites)?.start != number(0) {
        return Err(Verdict::Unproved("the first block does not begin where the output does".to_string()));
    }
    let unknown = || Verdict::Unproved("it is not known how many elements a block writes".to_string());
    elements_per_block(part, sites).ok_or_else(unknown)
}

/// The writes as if nothing that is not known guarded them.
fn unguarded(part: &Part<'_>) -> Vec<Site> {
    let open = |site: &&Site| {
        let mut site = (*site).clone();
        site.guard.sure = Sure::Always;
        site
    };
    part.sites.iter().map(open).collect()
}

/// How many elements each block of one grid writes, where block `b` writes those from `b` times as many on: `len` in all,
/// or as far as `cut` off. `None` where that is not so, or not known.
pub(super) fn elements_per_block(part: &Part<'_>, sites: &mut Sites<'_>) -> Option<u32> {
    let open: Vec<Site> = unguarded(part);
    let open = Part { sites: open.iter().collect(), ..part.clone() };
    let block = part.block?;
    let first = open.sites.first()?.index.as_ref()?;
    let piece = piece(&open, sites).ok()?;
    let one = part.n.as_known().and_then(Table::as_uniform) == Some(1);
    // The number of an only block is written nowhere.
    let step =
        if one { piece.len.as_known().and_then(Table::as_uniform) } else { coefficient(first, |s| s == [block]) }?;
    let all = part.n.scale(&Table::uniform(step), &[]);
    (piece.start == number(0) && piece.len == all).then_some(step)
}

/// Whether the parts write each of `len` elements once.
pub(super) fn exactly_once(parts: &[Part<'_>], len: &Sum, sites: &mut Sites<'_>) -> Verdict {
    let mut pieces = Vec::new();
    for part in parts {
        match piece(part, sites) {
            Ok(piece) => pieces.push(piece),
            // What one grid leaves out another may write.
            Err(Verdict::Refuted(Fault::Missing { .. }) | Verdict::Doubtful(Fault::Missing { .. }))
                if parts.len() > 1 =>
            {
                return Verdict::Unproved("several grids write it, and not one after the other".to_string());
            }
            Err(verdict) => return verdict,
        }
    }
    one_after_another(pieces, len, sites.program())
}

/// Whether some intervals, in the order in which they follow one another, are `len` elements.
pub(super) fn one_after_another(mut pieces: Vec<Piece>, len: &Sum, p: &Program) -> Verdict {
    let mut end = Sum::known(Table::uniform(0));
    while !pieces.is_empty() {
        let Some(next) = pieces.iter().position(|piece| rest::are_equal(p, &piece.start, &end)) else {
            return Verdict::Unproved("the parts that blocks write are not known to follow one another".to_string());
        };
        let piece = pieces.remove(next);
        let Some(sum) = piece.start.add(&piece.len, &[]) else {
            return Verdict::Unproved("the length is too complicated".to_string());
        };
        end = sum;
    }
    if rest::are_equal(p, len, &end) {
        return Verdict::Proved;
    }
    match (end.as_known().and_then(Table::as_uniform), len.as_known().and_then(Table::as_uniform)) {
        (Some(end), Some(len)) if end < len => missing(end),
        _ => Verdict::Unproved("what the blocks write is not known to end where the output does".to_string()),
    }
}

fn missing(element: u32) -> Verdict {
    Verdict::Refuted(Fault::Missing { element: element.to_string(), needed: WHOLE.to_string() })
}

/// What one grid writes, if it is an interval, each element once.
pub(super) fn piece(part: &Part<'_>, sites: &mut Sites<'_>) -> Result<Piece, Verdict> {
    let unproved = |why: &str| Verdict::Unproved(why.to_string());
    let known: Option<Vec<&Sum>> = part.sites.iter().map(|s| s.index.as_ref()).collect();
    let indices =
        known.ok_or_else(|| unproved("an index is not known while compiling, or there are too many to look at"))?;
    let first = *indices.first().ok_or_else(|| unproved("nothing is written"))?;
    let block = part.block.map(|b| [b]);
    let is_block = |symbols: &[ExprId]| block.as_ref().is_some_and(|b| symbols == b);
    let n = part.block.map_or(Some(1), |_| part.n.as_known().and_then(Table::as_uniform));
    let per_block =
        indices.iter().map(|i| coefficient(i, is_block)).reduce(|a, b| a.filter(|a| Some(*a) == b)).flatten();
    let per_block = per_block.ok_or_else(|| unproved("where a block writes does not depend on its number alone"))?;
    let numbers: Vec<&Table> = indices.iter().map(|i| &i.rest).collect();
    let number_of_block = variable(sites.program(), part.block);
    let bound = |(s, _): &(std::rc::Rc<[ExprId]>, Table)| !is_block(s) && sites.depends(s, &number_of_block);
    if indices.iter().any(|i| i.terms.iter().any(bound)) {
        return Err(unproved("where a block writes does not depend on its number alone"));
    }
    // Block after block: `base + len * block + lane`.
    let same = indices.iter().all(|i| i.terms == first.terms);
    let uniform = first.terms.iter().all(|(_, c)| c.as_uniform().is_some());
    if same && uniform {
        let base = Sum { terms: others(first, is_block), rest: Table::uniform(0) };
        let (start, count) = interval(part, &numbers, sites)?;
        return blocks(base.add(&number(start), &[]), count, per_block, n, &part.n);
    }
    // Block beside block: `base + block + n * lane`.
    let stride: &[(_, Table)] = &part.n.terms;
    if let ([(symbol, one)], 1, [only]) = (stride, per_block, &indices[..])
        && one.as_uniform() == Some(1)
        && let Some((_, lanes)) = only.terms.iter().find(|(s, _)| s == symbol)
        && let Some(rest) = only.rest.as_uniform()
    {
        let terms: Vec<_> = others(only, is_block).into_iter().filter(|(s, _)| s != symbol).collect();
        let (start, count) = interval(part, &[lanes], sites)?;
        let base = Sum { terms, rest: Table::uniform(rest) };
        if base.is_uniform() {
            let start = base.add(&part.n.scale(&Table::uniform(start), &[]), &[]);
            let len = part.n.scale(&Table::uniform(count), &[]);
            return start.map(|start| Piece { start, len }).ok_or_else(|| unproved("the index is too complicated"));
        }
    }
    Err(unproved("where a block writes is not a part of its own that is known while compiling"))
}

/// The interval of `n` blocks that each write `count` elements, from `base` on for block 0.
fn blocks(base: Option<Sum>, count: u32, per_block: u32, n: Option<u32>, blocks: &Sum) -> Result<Piece, Verdict> {
    let unproved = |why: &str| Verdict::Unproved(why.to_string());
    let base = base.ok_or_else(|| unproved("the index is too complicated"))?;
    let len = blocks.scale(&Table::uniform(count), &[]);
    // Where their number is not known, there may be several.
    let several = n.is_none_or(|n| n > 1);
    let start = base.as_known().and_then(Table::as_uniform);
    match (per_block as i32, count as i32) {
        _ if n == Some(1) || count == 0 => Ok(Piece { start: base, len }),
        (d, c) if d == c => Ok(Piece { start: base, len }),
        (d, c) if d == -c => {
            // Backwards: the last block's part is the first.
            let back = number(count).sub(&len, &[]);
            let start = back.and_then(|back| base.add(&back, &[]));
            start.map(|start| Piece { start, len }).ok_or_else(|| unproved("the index is too complicated"))
        }
        (d, c) if several && d.unsigned_abs() < c.unsigned_abs() => {
            let element = "0 of block 1's part".to_string();
            Err(Verdict::Refuted(Fault::Twice { element, first: "block 0".into(), second: "block 1".into() }))
        }
        (d, c) if several && d.unsigned_abs() > c.unsigned_abs() => {
            let (element, from) = match start {
                Some(s) if d > 0 => ((s + count).to_string(), (s + per_block).to_string()),
                _ => (format!("{c} behind block 0's part"), format!("{d} behind that")),
            };
            let needed = format!("{WHOLE}; block 0 writes the {c} before it, block 1 from {from} on");
            Err(Verdict::Refuted(Fault::Missing { element, needed }))
        }
        _ => Err(unproved("the parts that blocks write are not known to lie side by side")),
    }
}

fn number(v: u32) -> Sum {
    Sum::known(Table::uniform(v))
}

/// How much further the next block writes; `None` where that is not one number.
fn coefficient(index: &Sum, is_block: impl Fn(&[ExprId]) -> bool) -> Option<u32> {
    index.terms.iter().find(|(s, _)| is_block(s)).map_or(Some(0), |(_, c)| c.as_uniform())
}

/// The terms without the block's number.
fn others(index: &Sum, is_block: impl Fn(&[ExprId]) -> bool) -> Vec<(std::rc::Rc<[ExprId]>, Table)> {
    index.terms.iter().filter(|(s, _)| !is_block(s)).cloned().collect()
}
