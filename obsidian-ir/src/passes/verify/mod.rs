//! Proves that threads do not meet: within a phase no two write one element, and none reads what another writes; what is
//! read of a computed array has been written; each element of an output is written exactly once by the whole grid.
//!
//! Takes the program as `stage` made it, after `bounds`; changes nothing. What the library distributes is right by
//! construction: there a disproof is a fault of the compiler, and what is too much to look at passes. What the author
//! wrote (`Claim::MustProve`) is refused unless proved; what is `unsafe` is the author's.
//! `cover` and `phase` look at lanes (`access`), `sides` at branches, `filled` at what has been written, `output` at the grid,
//! `report` speaks.

mod cover;
mod filled;
mod output;
mod phase;
#[cfg(test)]
mod random_tests;
mod report;
mod sides;
#[cfg(test)]
mod tests;

use crate::diag;
use crate::level::Level;
use crate::passes::access::{Budget, Effects, Kind, Lanes, Loads, Purpose, Site, Sites, Sum, Sure};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Claim, ExprId, ParamKind, Program, Space, Stmt, StmtKind};
use filled::{Filled, Known};
use output::{Part, blocks_apart, cut_off, elements_per_block, exactly_once, exactly_once_cut_off};
use phase::{Finding, Parties, races};
use report::{About, Verdict, error};

/// Elements looked at in one program, at most.
const BUDGET: u64 = 1 << 20;

/// Proves a program.
///
/// # Errors
/// `OB052` where two threads write, or write and read, one element; `OB053` where an element is never written; `OB054`
/// where neither is proved of something that the author is to prove; `OB099` where the library's own code is wrong.
pub fn check(program: &Program) -> diag::Result<()> {
    run(program).errors.into_iter().next().map_or(Ok(()), |e| Err(Box::new(e)))
}

/// What is not proved of a program though nothing speaks against it, a line each: what the library distributes in ways
/// that are too much to look at.
pub fn unproved(program: &Program) -> Vec<String> {
    run(program).open
}

/// Of each output: how many elements a block writes, where block `b` writes those from `b` times as many on, and no
/// others. `None` where the blocks share it out otherwise, or it is not known how. Takes the native form too.
pub fn parts(program: &Program) -> Vec<Option<u32>> {
    let mut v = Verify::new(program);
    let mut grids = Vec::new();
    v.grids(&program.body, Grid::Symbol, Known::Sure, &mut grids);
    let mut parts = Vec::new();
    for param in &program.params {
        if let ParamKind::Output { arrays, len } = &param.kind {
            let mut counts = arrays.iter().map(|&array| v.per_block(array, *len, &grids));
            let first = counts.next().flatten();
            parts.push(first.filter(|_| counts.all(|count| count == first)));
        }
    }
    parts
}

fn run(program: &Program) -> Verify<'_> {
    let mut v = Verify::new(program);
    v.list(&program.body, &mut Vec::new());
    v.buffers();
    v.outputs();
    v
}

struct Verify<'p> {
    p: &'p Program,
    sites: Sites<'p>,
    effects: Effects,
    filled: Filled<'p>,
    errors: Vec<diag::Diagnostic>,
    /// What is neither proved nor an error.
    open: Vec<String>,
}

/// How the grid's loop is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grid {
    /// The block is a symbol.
    Symbol,
    /// Every block is looked at.
    Lanes,
}

impl<'p> Verify<'p> {
    fn new(program: &'p Program) -> Verify<'p> {
        let sites = Sites::new(program, Purpose::Order, Budget::new(BUDGET));
        let effects = Effects::of_block(&program.body, &Loads::new(&program.exprs));
        Verify { p: program, sites, effects, filled: Filled::new(program), errors: Vec::new(), open: Vec::new() }
    }

    /// Code of a block or a warp; notes its sites in `all`.
    fn list(&mut self, list: &'p Block, all: &mut Vec<Site>) {
        list.iter().for_each(|stmt| self.stmt(stmt, all));
    }

    fn stmt(&mut self, stmt: &'p Stmt, all: &mut Vec<Site>) {
        match &stmt.kind {
            StmtKind::Allocate { array } => self.filled.allocate(*array),
            StmtKind::Let { var, value } => {
                self.leaf(&stmt.clone(), all);
                self.sites.name(*var, *value);
            }
            StmtKind::If { then, els, .. } => {
                self.leaf(&walk::shell(stmt), all);
                let before = self.filled.clone();
                self.list(then, all);
                let one = std::mem::replace(&mut self.filled, before);
                self.list(els, all);
                self.filled.both(&one);
            }
            StmtKind::SeqFor { var, body, .. } => {
                self.leaf(&walk::shell(stmt), all);
                self.sites.symbol(*var);
                let before = self.filled.clone();
                self.list(body, all);
                self.filled = before;
                // What all rounds together write.
                let mut written = Vec::new();
                self.gather(std::slice::from_ref(stmt), Known::Sure, &mut written);
                sides::joined(self.p, written).iter().for_each(|site| self.filled.write(site, &mut self.sites));
            }
            StmtKind::SeqWhile { head, body, .. } => {
                self.leaf(&walk::shell(stmt), all);
                self.list(head, all);
                let before = self.filled.clone();
                self.list(body, all);
                self.filled = before;
            }
            StmtKind::DistrPar { level: Level::Warp, var, n, body } => self.warps(*var, *n, body),
            StmtKind::DistrPar { var, body, .. } => {
                self.sites.symbol(*var);
                self.list(body, all);
            }
            _ => self.leaf(stmt, all),
        }
    }

    fn warps(&mut self, var: crate::program::VarId, n: ExprId, body: &'p Block) {
        let entered = self.sites.enter_warps(var, n);
        if entered.is_none() {
            self.sites.unknown(var);
        }
        let mut all = Vec::new();
        self.list(body, &mut all);
        if entered.is_some() {
            self.sites.leave();
        }
        // Warps are not in step: what is not a warp's own is one phase for all of their code.
        all.retain(|s| self.p.array(s.array).space != Space::Shared(Level::Warp));
        self.phases(&all, Parties::Warps);
    }

    /// A phase: its races, what it reads, what it writes.
    fn leaf(&mut self, stmt: &Stmt, all: &mut Vec<Site>) {
        let found = self.sites.leaf(stmt);
        if found.is_empty() {
            return;
        }
        self.phases(&found, Parties::Instances);
        for at in 0..found.len() {
            if found[at].kind != Kind::Write {
                let verdict = self.filled.read(&found, at, &mut self.sites);
                let site = &found[at];
                let claim = self.filled.claim(site.array);
                self.judge(site.array, (claim, site.span), About::Reads, verdict);
            }
        }
        let joined = sides::joined(self.p, found.clone());
        joined.iter().for_each(|site| self.filled.write(site, &mut self.sites));
        all.extend(found);
    }

    /// Races between parties, array by array.
    fn phases(&mut self, found: &[Site], parties: Parties) {
        let mut arrays: Vec<ArrayId> = found.iter().filter(|s| s.kind != Kind::Read).map(|s| s.array).collect();
        arrays.sort_unstable();
        arrays.dedup();
        arrays.retain(|&a| !self.is_plain_output(a));
        for array in arrays {
            let of: Vec<Site> = found.iter().filter(|s| s.array == array).cloned().collect();
            if let Some(Finding { verdict, claim, site }) = races(self.p, &of, parties, &mut self.sites) {
                self.judge(array, (claim, of[site].span), About::Writes, verdict);
            }
        }
    }

    fn judge(&mut self, array: ArrayId, (claim, span): (Claim, diag::Span), about: About, verdict: Verdict) {
        if let (Verdict::Unproved(_) | Verdict::Doubtful(_), Claim::ByConstruction) = (&verdict, claim) {
            self.open.push(format!("{about:?} of `{}`: {verdict:?}", self.p.array(array).name));
        }
        self.errors.extend(error(self.p, array, claim, span, about, verdict));
    }

    /// Whether an array is an output that is only assigned to: [`Verify::outputs`] sees to it.
    fn is_plain_output(&self, array: ArrayId) -> bool {
        let Space::Global(param) = self.p.array(array).space else { return false };
        let output = matches!(self.p.param(param).kind, ParamKind::Output { .. });
        output && !self.effects.reads.contains(&array) && !self.effects.atomics.contains(&array)
    }

    /// The sites of a list, with the loops around them as lanes.
    fn gather(&mut self, list: &'p [Stmt], known: Known, out: &mut Vec<Site>) {
        for stmt in list {
            let mut inner = known;
            let mut entered = false;
            match &stmt.kind {
                StmtKind::SeqFor { var, start, end, step, .. } => {
                    entered = self.sites.enter(*var, *start, *end, *step).is_some();
                    if !entered {
                        self.sites.symbol(*var);
                        inner = Known::Perhaps;
                    }
                }
                StmtKind::DistrPar { level: Level::Warp, var, n, .. } => {
                    entered = self.sites.enter_warps(*var, *n).is_some();
                    if !entered {
                        self.sites.unknown(*var);
                        inner = Known::Perhaps;
                    }
                }
                StmtKind::If { .. } | StmtKind::SeqWhile { .. } => inner = Known::Perhaps,
                kind => {
                    let mut found = self.sites.leaf(stmt);
                    if known == Known::Perhaps {
                        found.iter_mut().for_each(|s| s.guard.sure = Sure::Perhaps);
                    }
                    out.extend(found);
                    if let StmtKind::Let { var, value } = kind {
                        self.sites.name(*var, *value);
                    }
                    continue;
                }
            }
            walk::nested(&stmt.kind).for_each(|body| self.gather(body, inner, out));
            if entered {
                self.sites.leave();
            }
        }
    }

    /// Each element of each output is written once.
    fn outputs(&mut self) {
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
                Verdict::Unproved(_) => symbolic[k].clone(),
                _ => second,
            };
            self.judge(left[k].0, (claim, span), About::Writes, verdict);
        }
    }

    /// The verdict of each output, the claim it is about, and its place.
    fn written(&mut self, outputs: &[(ArrayId, ExprId)], grid: Grid) -> Vec<(Verdict, Claim, diag::Span)> {
        let mut grids = Vec::new();
        self.grids(&self.p.body, grid, Known::Sure, &mut grids);
        outputs.iter().map(|&(array, len)| self.verdict(array, len, &grids)).collect()
    }

    /// The sites of each grid.
    fn grids(&mut self, list: &'p Block, grid: Grid, known: Known, out: &mut Vec<GridSites>) {
        for stmt in list {
            let StmtKind::DistrPar { level: Level::Block, var, n, body } = &stmt.kind else {
                if let StmtKind::SeqFor { var, .. } = &stmt.kind {
                    self.sites.unknown(*var);
                }
                walk::nested(&stmt.kind).for_each(|inner| self.grids(inner, grid, Known::Perhaps, out));
                continue;
            };
            let mut found = Vec::new();
            let entered = grid == Grid::Lanes && self.sites.enter_all(*var, *n).is_some();
            if !entered {
                self.sites.symbol(*var);
            }
            self.gather(body, known, &mut found);
            let found = sides::joined(self.p, found);
            let (block, n_sum) = if entered {
                self.sites.leave();
                (None, Some(Sum::known(Lanes::uniform(1))))
            } else {
                (self.sites.var_expr(*var), self.sites.value(*n))
            };
            out.push(GridSites { found, block, n: *n, n_sum });
        }
    }

    fn verdict(&mut self, array: ArrayId, len: ExprId, grids: &[GridSites]) -> (Verdict, Claim, diag::Span) {
        let mut claim = Claim::ByConstruction;
        let mut span = self.p.array(array).span;
        let (mut parts, mut known, mut cut) = (Vec::new(), true, false);
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
                cut |= part.as_ref().is_some_and(|part| cut_off(self.p, part, grid.n, len));
                parts.extend(part);
            }
        }
        let verdict = match (self.sites.value(len), known, &parts[..]) {
            _ if claim == Claim::Author => Verdict::Proved,
            (_, true, [part]) if cut => exactly_once_cut_off(part, &mut self.sites),
            (Some(len), true, _) => exactly_once(&parts, &len, &mut self.sites),
            _ => Verdict::Unproved("the number of blocks or the length is not known".to_string()),
        };
        (verdict, claim, span)
    }

    /// What [`parts`] says of an array of an output.
    fn per_block(&mut self, array: ArrayId, len: ExprId, grids: &[GridSites]) -> Option<u32> {
        if !self.is_plain_output(array) {
            return None;
        }
        let writes = |s: &&Site| s.array == array && s.kind == Kind::Write && !s.extents.contains(&0);
        let mut of = grids.iter().map(|grid| (grid, grid.found.iter().filter(writes).collect::<Vec<&Site>>()));
        let (grid, sites) = of.find(|(_, sites)| !sites.is_empty())?;
        if of.any(|(_, sites)| !sites.is_empty()) {
            return None;
        }
        let part = Part { sites, block: grid.block, n: grid.n_sum.clone()? };
        let always = part.sites.iter().all(|s| s.guard.sure == Sure::Always);
        (always || cut_off(self.p, &part, grid.n, len)).then(|| elements_per_block(&part, &mut self.sites)).flatten()
    }

    /// Blocks do not meet on buffers that are updated.
    fn buffers(&mut self) {
        let touched: std::collections::BTreeSet<ArrayId> = self.effects.arrays().collect();
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
            let of = |grids: &[GridSites]| {
                let mine = |s: &&Site| s.array == array && s.claim != Claim::Author && !s.extents.contains(&0);
                let all = grids.iter().map(|g| (g.found.iter().filter(mine).cloned().collect::<Vec<Site>>(), g.block));
                all.filter(|(found, _)| !found.is_empty()).collect::<Vec<_>>()
            };
            let one = of(&symbolic);
            if let [(found, block)] = &one[..]
                && blocks_apart(self.p, found, *block)
            {
                continue;
            }
            let all: Vec<Site> = match &of(&lanes)[..] {
                [(found, None)] => found.clone(),
                // Several grids, or a number of blocks that is not known.
                _ => one.into_iter().flat_map(|(found, _)| found).map(|s| Site { index: None, ..s }).collect(),
            };
            if let Some(Finding { verdict, claim, site }) = races(self.p, &all, Parties::Blocks, &mut self.sites) {
                let verdict = match verdict {
                    Verdict::Unproved(_) => Verdict::Unproved("blocks may meet on it".to_string()),
                    other => other,
                };
                self.judge(array, (claim, all[site].span), About::Writes, verdict);
            }
        }
    }
}

/// The sites of one grid.
struct GridSites {
    found: Vec<Site>,
    /// The block's number, where it is a symbol.
    block: Option<ExprId>,
    n: ExprId,
    n_sum: Option<Sum>,
}
