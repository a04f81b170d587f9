//! R28. Runs of an output: a grid that writes several intervals of it, one after the other or backwards, each perhaps cut off at an end of
//! its own: `if at < n { out[at] = .. out[n + at] = .. }`, `if at < n { out[n - 1 - at] = .. }`.
//!
//! *Why:* a write at `base + x` where `x < r` and only there fills the `r` elements from `base` on, if without the condition the blocks'
//! `x` would be each number below some `N` once, and `N` is `r` or more; one at `base - x` fills the `r` elements up to `base`. Each is
//! another element, as the `x` are. Every index is in range, so no such interval goes round the end of the numbers; and intervals
//! that follow one another from 0 to the length are each element once.

use super::cases::interval;
use super::output::{Part, Piece, each_cut_off, piece};
use super::{Verify, rest};
use crate::passes::access::{Site, Sites, Sure, below};
use crate::passes::index::{Sum, Table};
use crate::program::ExprId;

/// Runs of one grid, at most.
const MAX_RUNS: usize = 16;

/// How elements follow the number that is below the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// Where a write goes.
#[derive(Debug, Clone, PartialEq)]
enum Run {
    /// To all that its blocks reach, from the part of the index that is theirs.
    Whole(Vec<(std::rc::Rc<[ExprId]>, Table)>),
    /// As far as a number is below an end.
    Cut { way: Way, base: Sum, end: ExprId },
}

impl Verify<'_> {
    /// The intervals that a grid of `blocks` blocks writes, if it writes them so.
    pub(super) fn runs(&mut self, part: &Part<'_>, blocks: ExprId) -> Option<Vec<Piece>> {
        let mut runs: Vec<(Run, Vec<Site>)> = Vec::new();
        for site in &part.sites {
            let (run, site) = run_of(site, part, &mut self.sites)?;
            match runs.iter().position(|(known, _)| *known == run) {
                Some(at) => runs[at].1.push(site),
                None if runs.len() < MAX_RUNS => runs.push((run, vec![site])),
                None => return None,
            }
        }
        let mut pieces = Vec::new();
        for (run, of) in &runs {
            let of = Part { sites: of.iter().collect(), ..part.clone() };
            pieces.push(match run {
                Run::Whole(_) => piece(&of, &mut self.sites).ok()?,
                Run::Cut { way, base, end } => {
                    let len = self.sites.value(*end).filter(|_| self.is_reached(&of, blocks, *end))?;
                    let start = match way {
                        Way::Up => base.clone(),
                        Way::Down => base.sub(&len, &[])?.add(&Sum::known(Table::uniform(1)), &[])?,
                    };
                    Piece { start, len }
                }
            });
        }
        Some(pieces)
    }

    /// Whether the numbers that are compared are those below an end, or more, each once in all blocks.
    fn is_reached(&mut self, part: &Part<'_>, blocks: ExprId, end: ExprId) -> bool {
        if part.block.is_some() {
            let each = each_cut_off(part, &mut self.sites).ok();
            return each.is_some_and(|each| self.launch().at_least(blocks, each, end) && self.few_enough(blocks, each));
        }
        let numbers: Option<Vec<&Table>> =
            part.sites.iter().map(|s| s.index.as_ref().and_then(Sum::as_known)).collect();
        let all = numbers.and_then(|numbers| interval(part, &numbers, &mut self.sites).ok());
        let enough = all.is_some_and(|(first, count)| first == 0 && self.p.exprs.range(end).hi <= count.into());
        enough && rest::is_there(self.p, part, end)
    }
}

/// The run of a write, and the write in it: of one that is cut off, the number that is compared and not the element.
fn run_of(site: &Site, part: &Part<'_>, sites: &mut Sites<'_>) -> Option<(Run, Site)> {
    let index = site.index.as_ref().filter(|_| !site.open && site.width == 1)?;
    let is_block = |symbols: &[ExprId]| part.block.is_some_and(|block| *symbols == [block]);
    if site.guard.sure == Sure::Always {
        let others = index.terms.iter().filter(|(symbols, _)| !is_block(symbols)).cloned().collect();
        return Some((Run::Whole(others), site.clone()));
    }
    let Sure::If(cond) = site.guard.sure else { return None };
    let p = sites.program();
    let [(number, end)] = below(p, cond)[..] else { return None };
    if !p.exprs.known_at_launch(end) {
        return None;
    }
    let x = sites.compared(number)?.clone();
    let ways = [(Way::Up, index.sub(&x, &site.extents)), (Way::Down, index.add(&x, &site.extents))];
    let found = ways.into_iter().find_map(|(way, base)| Some((way, common(&base?, site, part, sites)?)));
    let (way, base) = found?;
    let mut open = site.clone();
    (open.index, open.at, open.guard.sure) = (Some(x), number, Sure::Always);
    Some((Run::Cut { way, base, end }, open))
}

/// A sum that is one number in all lanes and blocks.
fn common(sum: &Sum, site: &Site, part: &Part<'_>, sites: &Sites<'_>) -> Option<Sum> {
    let one = |table: &Table| {
        let all = table.spread(&site.extents, site.extents.len());
        all.first().copied().filter(|first| all.iter().all(|v| v == first))
    };
    let mut known = Sum::known(Table::uniform(one(&sum.rest)?));
    for (symbols, times) in &sum.terms {
        let times = one(times)?;
        if times != 0 {
            known.terms.push((symbols.clone(), Table::uniform(times)));
        }
    }
    let launch = |e: &ExprId| sites.program().exprs.known_at_launch(*e) && Some(*e) != part.block;
    known.terms.iter().all(|(symbols, _)| symbols.iter().all(launch)).then_some(known)
}
