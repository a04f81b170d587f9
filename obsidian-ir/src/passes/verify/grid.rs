//! The whole grid: each element of an output is written once, and blocks do not meet on what they update.
//!
//! Takes the sites of each grid (a `DistrPar` of blocks), all rounds of its loops as lanes; asks `output` and `phase`.

use std::collections::BTreeSet;

use super::counters::counters_in;
use super::filled::Known;
use super::gather::{Branches, Counters, SAMPLE};
use super::output::{
    Part, Piece, blocks_apart, cut_off, each_cut_off, elements_per_block, exactly_once, one_after_another, variable,
};
use super::phase::{Finding, Parties, races};
use super::report::{About, Verdict};
use super::sample::too_few;
use super::{Limit, Verify, radix, residues, sides, turned};
use crate::diag;
use crate::level::Level;
use crate::passes::access::{Kind, Site, Sure, last};
use crate::passes::index::{Sum, Table};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Claim, ExprId, ParamKind, Space, StmtKind, VarId};
use crate::tables::HashSet;

/// How the grid's loop is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grid {
    /// The block is a symbol.
    Symbol,
    /// Every block is looked at.
    Lanes,
    /// The first few blocks are looked at, and the first few rounds of loops of unknown length: for an example.
    Sample,
}

/// The sites of one grid.
pub(super) struct GridSites {
    found: Vec<Site>,
    /// The block's number, where it is a symbol.
    block: Option<ExprId>,
    n: ExprId,
    /// As many of them as come to these sites: fewer than all where the last block is another.
    come: ExprId,
    n_sum: Option<Sum>,
    /// The counters that each block has for itself.
    own: HashSet<VarId>,
    /// Of the last block, where that does something else than those of the grid before this one: how many those are.
    after: Option<Sum>,
}

impl<'p> Verify<'p> {
    /// Each element of each output is written once.
    pub(super) fn outputs(&mut self) {
        let mut left: Vec<(ArrayId, ExprId)> = Vec::new();
        for param in &self.p.params {
            if let ParamKind::Output { arrays, len } = &param.kind {
                left.extend(arrays.iter().filter(|&&a| self.is_plain_output(a)).map(|&a| (a, *len)));
            }
        }
        let symbolic = self.written(&left, Grid::Symbol);
        let open: Vec<usize> = (0..left.len()).filter(|&k| symbolic[k].0 != Verdict::Proved).collect();
        let retry: Vec<(ArrayId, ExprId)> = open.iter().map(|&k| left[k]).collect();
        let lanes = if retry.is_empty() { Vec::new() } else { self.written(&retry, Grid::Lanes) };
        for (&k, second) in open.iter().zip(lanes) {
            let (verdict, claim, span) = match second.0 {
                Verdict::Unproved(_) if radix::fills(self.p, left[k].0, left[k].1) => continue,
                Verdict::Unproved(_) => symbolic[k].clone(),
                _ => second,
            };
            self.judge(left[k].0, (claim, span), About::Output, verdict);
        }
    }

    /// The verdict of each output, the claim it is about, and its place.
    fn written(&mut self, outputs: &[(ArrayId, ExprId)], grid: Grid) -> Vec<(Verdict, Claim, diag::Span)> {
        let mut grids = Vec::new();
        self.grids(&self.p.body, grid, Known::Sure, &mut grids);
        outputs.iter().map(|&(array, len)| self.verdict(array, len, &grids)).collect()
    }

    /// The sites of each grid.
    pub(super) fn grids(&mut self, list: &'p Block, grid: Grid, known: Known, out: &mut Vec<GridSites>) {
        for stmt in list {
            let StmtKind::DistrPar { level: Level::Block, var, n, body } = &stmt.kind else {
                if let StmtKind::SeqFor { var, .. } = &stmt.kind {
                    self.sites.unknown(*var);
                }
                walk::nested(&stmt.kind).for_each(|inner| self.grids(inner, grid, Known::Perhaps, out));
                continue;
            };
            if grid == Grid::Symbol
                && let Some(sides) = last::sides(self.p, *var, *n, body)
            {
                self.sides_of_grid((*var, *n), &sides, known, out);
                continue;
            }
            let mut found = Vec::new();
            let mut entered = grid != Grid::Symbol && self.sites.enter_all(*var, *n).is_some();
            if grid == Grid::Sample && !entered {
                self.sites.enter_some(*var, SAMPLE);
                entered = true;
            }
            if !entered {
                self.sites.symbol(*var);
            }
            let counters = if grid == Grid::Sample { Counters::Sample } else { Counters::Open };
            let branches = if grid == Grid::Sample { Branches::Perhaps } else { Branches::Cases };
            self.gather(body, (known, counters, branches), &mut found);
            let found = sides::joined(self.p, found);
            let (block, n_sum) = if entered {
                self.sites.leave();
                (None, Some(Sum::known(Table::uniform(1))))
            } else {
                // Where there is perhaps one block, its number is 0 in every index and tells nothing apart.
                let perhaps_one = self.p.exprs.range(*n).hi == 1 && self.p.exprs.as_u32(*n).is_none();
                (self.sites.var_expr(*var).filter(|_| !perhaps_one), self.sites.value(*n))
            };
            out.push(GridSites { found, block, n: *n, come: *n, n_sum, own: counters_in(body), after: None });
        }
    }

    /// The sites of a grid's blocks but the last, and those of the last.
    fn sides_of_grid(
        &mut self,
        (var, n): (VarId, ExprId),
        sides: &last::Sides<'p>,
        known: Known,
        out: &mut Vec<GridSites>,
    ) {
        self.sites.symbol(var);
        let mut named = Vec::new();
        self.gather(sides.names, (known, Counters::Open, Branches::Cases), &mut named);
        let (block, whole) = (self.sites.var_expr(var), self.sites.value(sides.whole));
        let more = whole.as_ref().and_then(|whole| self.sites.value(n)?.sub(whole, &[]));
        let both = [(sides.then, sides.whole, whole.clone(), None), (sides.els, n, more, whole)];
        for (body, come, n_sum, after) in both {
            let mut found = named.clone();
            self.gather(body, (known, Counters::Open, Branches::Cases), &mut found);
            let mut found = sides::joined(self.p, found);
            if let (Some(whole), Some(block)) = (&after, block) {
                found = found.into_iter().map(|site| last::by_count(site, block, whole)).collect();
            }
            let block = block.filter(|_| after.is_none());
            out.push(GridSites { found, block, n, come, n_sum, own: counters_in(body), after });
        }
    }

    fn verdict(&mut self, array: ArrayId, len: ExprId, grids: &[GridSites]) -> (Verdict, Claim, diag::Span) {
        let mut claim = Claim::ByConstruction;
        let mut span = self.p.array(array).span;
        let (mut parts, mut known, mut cut, mut blocks) = (Vec::new(), true, None, Vec::new());
        for grid in grids {
            let writes = |s: &&Site| s.array == array && s.kind == Kind::Write && !s.extents.contains(&0);
            let sites: Vec<&Site> = grid.found.iter().filter(writes).collect();
            for site in &sites {
                if site.claim > claim {
                    (claim, span) = (site.claim, site.span);
                }
                span = span.or(site.span);
            }
            if !sites.is_empty() {
                known &= grid.n_sum.is_some();
                let part = grid.n_sum.clone().map(|n| Part { sites, block: grid.block, n });
                if part.as_ref().is_some_and(|part| cut_off(self.p, part, len)) {
                    cut = Some(grid.come);
                }
                blocks.push(grid.come);
                parts.extend(part);
            }
        }
        let verdict = match (self.sites.value(len), &parts[..], cut) {
            (_, [part], Some(blocks)) if known => self.enough_cut_off(part, blocks, len),
            (Some(sum), all, _) if known => {
                let tiles = match all {
                    [part] => self.tiles(part, blocks[0], len),
                    _ => None,
                };
                let verdict = tiles.unwrap_or_else(|| exactly_once(all, &sum, &mut self.sites));
                if verdict == Verdict::Proved || !self.in_runs(all, &blocks, &sum) { verdict } else { Verdict::Proved }
            }
            _ => Verdict::Unproved("the number of blocks or the length is not known".to_string()),
        };
        (verdict, claim, span)
    }

    /// Whether grids of so many blocks write an output run by run, each element once.
    fn in_runs(&mut self, parts: &[Part<'_>], blocks: &[ExprId], len: &Sum) -> bool {
        let pieces = parts.iter().zip(blocks).map(|(part, &blocks)| {
            self.runs(part, blocks).or_else(|| Some(vec![turned::piece_if_straight(part, &mut self.sites)?]))
        });
        let pieces: Option<Vec<Vec<Piece>>> = pieces.collect();
        pieces.is_some_and(|pieces| {
            one_after_another(pieces.into_iter().flatten().collect(), len, self.p) == Verdict::Proved
        })
    }

    /// The verdict of an output whose writes are cut off at its end: the blocks must reach that far.
    fn enough_cut_off(&mut self, part: &Part<'_>, blocks: ExprId, len: ExprId) -> Verdict {
        let each = match each_cut_off(part, &mut self.sites) {
            Ok(each) => each,
            Err(verdict) => return verdict,
        };
        if self.launch().at_least(blocks, each, len) && self.few_enough(blocks, each) {
            return Verdict::Proved;
        }
        match too_few(self.p, (blocks, each), len) {
            Some(fault) => Verdict::Refuted(fault),
            None => Verdict::Unproved("it is not known that there are enough blocks to write all of it".to_string()),
        }
    }

    /// What [`parts`](super::parts) says of an array of an output.
    pub(super) fn per_block(&mut self, array: ArrayId, len: ExprId, grids: &[GridSites]) -> Option<u32> {
        if !self.is_assigned_output(array) {
            return None;
        }
        let writes = |s: &&Site| s.array == array && s.kind == Kind::Write && !s.extents.contains(&0);
        let mut of = grids.iter().map(|grid| (grid, grid.found.iter().filter(writes).collect::<Vec<&Site>>()));
        let (grid, sites) = of.find(|(_, sites)| !sites.is_empty())?;
        let last: Vec<_> = of.filter(|(_, sites)| !sites.is_empty()).collect();
        let part = Part { sites, block: grid.block, n: grid.n_sum.clone()? };
        let always = part.sites.iter().all(|s| s.guard.sure == Sure::Always);
        let each =
            (always || cut_off(self.p, &part, len)).then(|| elements_per_block(&part, &mut self.sites)).flatten()?;
        match &last[..] {
            [] if grid.after.is_none() => Some(each),
            [(last, sites)] => follows(grid, last, sites, each).then_some(each),
            _ => None,
        }
    }

    /// Blocks do not meet on buffers that are updated.
    pub(super) fn buffers(&mut self) {
        let touched: BTreeSet<ArrayId> = self.effects.arrays().collect();
        let written = |a: &ArrayId| self.effects.writes.contains(a) || self.effects.atomics.contains(a);
        let global = |a: &ArrayId| matches!(self.p.array(*a).space, Space::Global(_));
        let arrays: Vec<ArrayId> =
            touched.into_iter().filter(|a| global(a) && written(a) && !self.is_plain_output(*a)).collect();
        if arrays.is_empty() {
            return;
        }
        let [mut symbolic, mut lanes] = [Vec::new(), Vec::new()];
        self.grids(&self.p.body, Grid::Symbol, Known::Sure, &mut symbolic);
        self.grids(&self.p.body, Grid::Lanes, Known::Sure, &mut lanes);
        for array in arrays {
            let one = touching(&symbolic, array);
            let whole = with_last(&one);
            if let Some((found, grid, own)) = whole.as_ref()
                && let Some(step) = self.blocks_apart(found, grid.block, own)
                && self.few_enough(grid.n, step)
            {
                continue;
            }
            let (all, own) = match &touching(&lanes, array)[..] {
                [(found, grid)] if grid.block.is_none() => (found.clone(), grid.own.clone()),
                // Several grids, or a number of blocks that is not known.
                _ => {
                    let all = one.iter().flat_map(|(found, _)| found.iter().cloned());
                    (
                        all.map(|s| Site { index: None, by_data: Vec::new(), turned: None, ..s }).collect(),
                        HashSet::default(),
                    )
                }
            };
            if let Some(Finding { verdict, claim, site }) =
                races(self.p, &all, (Parties::Blocks, &own), &mut self.sites)
            {
                let verdict = match verdict {
                    Verdict::Unproved(_) => Verdict::Unproved(self.how_blocks_meet(array)),
                    other => other,
                };
                self.judge(array, (claim, all[site].span), About::Writes, verdict);
            }
        }
    }

    /// As [`blocks_apart`], for each remainder of a number that all blocks share, where it has a part in what they touch (R22).
    fn blocks_apart(&self, found: &[Site], block: Option<ExprId>, own: &HashSet<VarId>) -> Option<u32> {
        blocks_apart(found, block, own, &self.sites).or_else(|| {
            let own_or_block = own.union(&variable(self.p, block)).copied().collect();
            let cases = residues::cases(self.p, found, &own_or_block, &self.sites);
            let steps = cases.iter().map(|sites| blocks_apart(sites, block, own, &self.sites));
            let steps: Vec<u32> = steps.collect::<Option<_>>()?;
            steps.into_iter().max()
        })
    }

    /// Whether `step * blocks` does not wrap; where only the launch can tell, it is asked to.
    pub(super) fn few_enough(&mut self, blocks: ExprId, step: u32) -> bool {
        let most = (1u64 << 32) / u64::from(step.max(1));
        if self.p.exprs.range(blocks).hi <= most.into() || self.launch().at_most(blocks, most) {
            return true;
        }
        if self.p.exprs.as_u32(blocks).is_some() {
            return false;
        }
        // Below 2^32, as the number of blocks is a `u32` that may be larger.
        self.limits.push(Limit::Blocks { blocks, most: most as u32 });
        true
    }

    /// That blocks may meet on an array, with an example where their own rounds of loops have a part in it.
    fn how_blocks_meet(&mut self, array: ArrayId) -> String {
        let what = "blocks may meet on it";
        let mut grids = Vec::new();
        self.grids(&self.p.body, Grid::Sample, Known::Perhaps, &mut grids);
        let example = match &touching(&grids, array)[..] {
            [(found, grid)] if !grid.own.is_empty() => {
                races(self.p, found, (Parties::Blocks, &HashSet::default()), &mut self.sites)
            }
            _ => None,
        };
        match example.map(|finding| finding.verdict) {
            Some(Verdict::Unproved(why)) if why.starts_with("on element") => format!("{what}: {why}"),
            _ => what.to_string(),
        }
    }
}

/// The sites of an array in each grid that touches it; what the author answers for is left out.
fn touching(grids: &[GridSites], array: ArrayId) -> Vec<(Vec<Site>, &GridSites)> {
    let mine = |s: &&Site| s.array == array && s.claim != Claim::Author && !s.extents.contains(&0);
    let all = grids.iter().map(|grid| (grid.found.iter().filter(mine).cloned().collect::<Vec<Site>>(), grid));
    all.filter(|(found, _)| !found.is_empty()).collect()
}

/// Whether the last block writes elements of the part that its number would have among the others, and no others.
fn follows(grid: &GridSites, last: &GridSites, sites: &[&Site], each: u32) -> bool {
    let (Some(whole), Some(block)) = (&last.after, grid.block) else { return false };
    let own = Sum::symbol(block).scale(&Table::uniform(each), &[]);
    sites.iter().all(|site| {
        let index = last::among_the_others(site, whole, block, each).and_then(|site| site.index);
        let inside = index.and_then(|index| index.sub(&own, &site.extents));
        let inside = inside.as_ref().and_then(Sum::as_known);
        inside.is_some_and(|table| table.spread(&site.extents, site.extents.len()).iter().all(|&e| e < each))
    })
}

/// The sites of one grid and the counters that each block has for itself, those of a last block that is another among them.
fn with_last<'g>(touching: &[(Vec<Site>, &'g GridSites)]) -> Option<(Vec<Site>, &'g GridSites, HashSet<VarId>)> {
    match touching {
        [(found, grid)] if grid.after.is_none() => Some((found.clone(), grid, grid.own.clone())),
        [(found, grid), (more, last)] => {
            let (whole, block) = (last.after.as_ref()?, grid.block?);
            let step = step_of(found.first()?, block)?;
            let more = more.iter().map(|site| last::among_the_others(site, whole, block, step));
            let more: Vec<Site> = more.collect::<Option<_>>()?;
            let own = grid.own.union(&last.own).copied().collect();
            Some((found.iter().cloned().chain(more).collect(), *grid, own))
        }
        _ => None,
    }
}

/// How much further the next block's element is.
fn step_of(site: &Site, block: ExprId) -> Option<u32> {
    let terms = &site.index.as_ref()?.terms;
    terms.iter().find(|(symbols, _)| **symbols == [block]).and_then(|(_, c)| c.as_uniform())
}
