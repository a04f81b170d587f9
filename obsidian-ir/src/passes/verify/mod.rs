//! Proves that threads do not meet: within a phase no two write one element, and none reads what another writes; what is
//! read of a computed array has been written; each element of an output is written exactly once by the whole grid.
//!
//! Takes the program as `stage` made it, after `bounds`; changes nothing. What the library distributes is right by
//! construction: there a disproof is a fault of the compiler, and what is too much to look at passes. What the author
//! wrote (`Claim::MustProve`) is refused unless proved; what is `unsafe` is the author's.
//! `cover` and `phase` look at lanes (`access`), `filled` at what has been written, `output` at the grid, `report` speaks.

mod cover;
mod filled;
mod output;
mod phase;
mod report;
#[cfg(test)]
mod tests;

use crate::diag;
use crate::level::Level;
use crate::passes::access::{Budget, Effects, Kind, Lanes, Loads, Site, Sites, Sum};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Claim, ExprId, ParamKind, Program, Space, Stmt, StmtKind};
use filled::{Filled, Known};
use output::{Part, exactly_once};
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
    run(program).errors.into_iter().next().map_or(Ok(()), Err)
}

/// What is not proved of a program though nothing speaks against it, a line each: what the library distributes in ways
/// that are too much to look at.
pub fn unproved(program: &Program) -> Vec<String> {
    run(program).open
}

fn run(program: &Program) -> Verify<'_> {
    let sites = Sites::new(program, Budget(BUDGET));
    let effects = Effects::of_block(&program.body, &Loads::new(&program.exprs));
    let mut v = Verify { p: program, sites, effects, filled: Filled::new(program), errors: Vec::new(), open: Vec::new() };
    for stmt in &program.body {
        match &stmt.kind {
            StmtKind::DistrPar { level: Level::Block, var, body, .. } => {
                v.sites.symbol(*var);
                v.list(body, &mut Vec::new());
            }
            _ => v.stmt(stmt, &mut Vec::new()),
        }
    }
    v.outputs();
    v
}

struct Verify<'p> {
    p: &'p Program,
    sites: Sites<'p>,
    effects: Effects,
    filled: Filled<'p>,
    errors: Vec<Box<diag::Diagnostic>>,
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
                self.leaf(&shell(stmt), all);
                let before = self.filled.clone();
                self.list(then, all);
                let one = std::mem::replace(&mut self.filled, before);
                self.list(els, all);
                self.filled.both(&one);
            }
            StmtKind::SeqFor { var, body, .. } => {
                self.leaf(&shell(stmt), all);
                self.sites.symbol(*var);
                let before = self.filled.clone();
                self.list(body, all);
                self.filled = before;
                // What all rounds together write.
                let mut written = Vec::new();
                self.gather(std::slice::from_ref(stmt), Known::Sure, &mut written);
                written.iter().for_each(|site| self.filled.write(site, &mut self.sites));
            }
            StmtKind::SeqWhile { head, body, .. } => {
                self.leaf(&shell(stmt), all);
                self.list(head, all);
                let before = self.filled.clone();
                self.list(body, all);
                self.filled = before;
            }
            StmtKind::DistrPar { var, n, body, .. } => self.warps(*var, *n, body),
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
        found.iter().for_each(|site| self.filled.write(site, &mut self.sites));
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
        if let (Verdict::Unproved(why), Claim::ByConstruction) = (&verdict, claim) {
            self.open.push(format!("{about:?} of `{}`: {why}", self.p.array(array).name));
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
                    found.retain(|s| s.kind != Kind::Read);
                    found.iter_mut().for_each(|s| s.guard.sure &= known == Known::Sure);
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
        let mut grids: Vec<(Vec<Site>, Option<ExprId>, Option<Sum>)> = Vec::new();
        for stmt in &self.p.body {
            let mut found = Vec::new();
            if let StmtKind::DistrPar { level: Level::Block, var, n, body } = &stmt.kind {
                let entered = grid == Grid::Lanes && self.sites.enter_all(*var, *n).is_some();
                if !entered {
                    self.sites.symbol(*var);
                }
                self.gather(body, Known::Sure, &mut found);
                let (block, n) = if entered {
                    self.sites.leave();
                    (None, Some(Sum::known(Lanes::uniform(1))))
                } else {
                    (self.sites.var_expr(*var), self.sites.value(*n))
                };
                grids.push((found, block, n));
            } else {
                self.gather(std::slice::from_ref(stmt), Known::Perhaps, &mut found);
                grids.push((found, None, None));
            }
        }
        outputs.iter().map(|&(array, len)| self.verdict(array, len, &grids)).collect()
    }

    fn verdict(
        &mut self,
        array: ArrayId,
        len: ExprId,
        grids: &[(Vec<Site>, Option<ExprId>, Option<Sum>)],
    ) -> (Verdict, Claim, diag::Span) {
        let mut claim = Claim::ByConstruction;
        let mut span = self.p.array(array).span;
        let (mut parts, mut known) = (Vec::new(), true);
        for (found, block, n) in grids {
            let sites: Vec<&Site> = found.iter().filter(|s| s.array == array && !s.extents.contains(&0)).collect();
            for site in &sites {
                if site.claim > claim {
                    (claim, span) = (site.claim, site.span);
                }
                span = span.or(site.span);
            }
            if !sites.is_empty() {
                known &= n.is_some();
                parts.extend(n.clone().map(|n| Part { sites, block: *block, n }));
            }
        }
        let verdict = match (self.sites.value(len), known) {
            _ if claim == Claim::Author => Verdict::Proved,
            (Some(len), true) => exactly_once(&parts, &len, &mut self.sites),
            _ => Verdict::Unproved("the number of blocks or the length is not known".to_string()),
        };
        (verdict, claim, span)
    }
}

/// A statement without its blocks.
fn shell(stmt: &Stmt) -> Stmt {
    let mut shell = stmt.clone();
    walk::nested_mut(&mut shell.kind).for_each(Vec::clear);
    shell
}
