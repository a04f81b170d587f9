//! Proves that threads do not meet: within a phase no two write one element, and none reads what another writes; what is
//! read of a computed array has been written; each element of an output is written exactly once by the whole grid.
//!
//! Takes the program as `stage` made it, after `bounds`; changes nothing. What the library distributes is right by
//! construction: there a disproof is a fault of the compiler, and what is too much to look at passes. What the author
//! wrote (`Claim::MustProve`) is refused unless proved; what is `unsafe` is the author's.
//!
//! ```text
//! forall i < 64 { s[i] = xs[i] }              proved: each thread has its element
//! forall i < 64 { prove s[i / 2] = xs[i] }    OB052: two threads meet on element 0 of `s`
//! forall i < 64 { prove out[2 * i] = xs[i] }  OB053: element 1 of `out` is never written
//! ```
//!
//! `cover` and `phase` look at lanes (`access`), `sides` at branches, `filled` at what has been written, `output` at the grid,
//! `report` speaks.

mod alone;
mod by_data;
#[cfg(test)]
mod by_data_tests;
#[cfg(test)]
mod case_tests;
mod cases;
mod code;
#[cfg(test)]
mod column_tests;
mod counters;
mod cover;
mod cut;
#[cfg(test)]
mod cut_tests;
mod filled;
#[cfg(test)]
mod filled_tests;
mod gather;
mod grid;
#[cfg(test)]
mod limit_tests;
mod output;
mod own;
#[cfg(test)]
mod own_tests;
#[cfg(test)]
mod parity_tests;
#[cfg(test)]
mod partner_tests;
mod partners;
mod phase;
#[cfg(test)]
mod phase_tests;
mod radix;
#[cfg(test)]
mod random_tests;
mod report;
mod residues;
mod rest;
#[cfg(test)]
mod rest_tests;
#[cfg(test)]
mod run_tests;
mod runs;
mod sample;
mod sides;
#[cfg(test)]
mod tests;
mod tiles;
mod touches;
mod turned;
#[cfg(test)]
mod while_tests;

use std::borrow::Cow;

use crate::diag;
use crate::passes::access::{Effects, Kind, Loads, Purpose, Site, Sites};
use crate::passes::bounds::Launch;
use crate::passes::index::Budget;
use crate::passes::on_gpu;
use crate::passes::reserved::{self, Total};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Claim, ExprId, ParamKind, Program, Space, Stmt, VarId};
use crate::tables::{HashMap, HashSet};
use filled::{Filled, Known};
use grid::Grid;
use partners::partners_apart;
use phase::{Finding, Parties, races};
use report::{About, Verdict, error};

/// Elements looked at in one program, at most.
const BUDGET: u64 = 1 << 20;

/// What a program is proved up to, where it is not known that no launch goes further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// A number of blocks.
    Blocks {
        /// How many there are.
        blocks: ExprId,
        /// How many there may be.
        most: u32,
    },
    /// The product of these numbers is below 2^32.
    Product {
        /// What the launch knows.
        factors: Vec<ExprId>,
        /// What is known while compiling.
        times: u32,
    },
}

/// Proves a program, for launches that keep to the limits that it gives.
///
/// # Errors
/// `OB052` where two threads write, or write and read, one element; `OB053` where an element is never written; `OB054`
/// where neither is proved of something that the author is to prove; `OB099` where the library's own code is wrong.
pub fn check(program: &Program) -> diag::Result<Vec<Limit>> {
    proved(program).map(|proved| proved.limits)
}

/// What the proofs of a program give.
#[derive(Debug)]
pub(super) struct Proved {
    pub(super) limits: Vec<Limit>,
    /// As [`unproved`] gives it.
    open: Vec<String>,
}

impl Proved {
    /// Whether no more is open, and launches may go as far.
    pub(super) fn is_within(&self, other: &Proved) -> bool {
        self.limits.iter().all(|limit| other.limits.contains(limit)) && self.open.iter().all(|o| other.open.contains(o))
    }
}

/// As [`check`], with what is open.
pub(super) fn proved(program: &Program) -> diag::Result<Proved> {
    let mut all = Proved { limits: Vec::new(), open: Vec::new() };
    for side in sides(program) {
        let v = run(&side);
        diag::all_of(v.errors)?;
        all.limits.extend(v.limits.into_iter().filter(|limit| !all.limits.contains(limit)).collect::<Vec<_>>());
        all.open.extend(v.open);
    }
    Ok(all)
}

/// What is proved: the program, or where its code is parted what GPUs run and what others do. No device runs both, so that neither is a case of
/// the other. What a launch knows is the same expression in both.
fn sides(program: &Program) -> Vec<Cow<'_, Program>> {
    if !on_gpu::parts_code(program) {
        return vec![Cow::Borrowed(program)];
    }
    let kept = |side: fn(&mut Program)| {
        let mut program = program.clone();
        side(&mut program);
        Cow::Owned(program)
    };
    vec![kept(on_gpu::take), kept(on_gpu::leave)]
}

/// What is not proved of a program though nothing speaks against it, a line each: what the library distributes in ways
/// that are too much to look at.
pub fn unproved(program: &Program) -> Vec<String> {
    sides(program).iter().flat_map(|side| run(side).open).collect()
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
    v.phases_of(&program.body);
    v.buffers();
    v.outputs();
    v
}

struct Verify<'p> {
    p: &'p Program,
    sites: Sites<'p>,
    effects: Effects,
    /// What is written in `unsafe`, somewhere.
    answered: HashSet<ArrayId>,
    loads: Loads,
    /// Whether threads have arrays of their own.
    has_own: bool,
    filled: Filled<'p>,
    /// The sites of the code of a warp, or of a block, that have been seen.
    seen: Vec<Site>,
    /// What had been written before the loops and branches around the place that is looked at.
    before: Vec<Filled<'p>>,
    /// What the launch checks say, once it has been asked.
    launch: Option<Launch<'p>>,
    limits: Vec<Limit>,
    errors: Vec<diag::Diagnostic>,
    /// What is neither proved nor an error.
    open: Vec<String>,
    /// Arrays on which threads may meet, as far as that is not proved.
    unsettled: HashSet<ArrayId>,
    /// Arrays that were to be parted, and whether threads meet on none of their parts (R35).
    parted: HashMap<ArrayId, bool>,
    /// How often an array may still be parted.
    depth: u32,
}

impl<'p> Verify<'p> {
    fn new(program: &'p Program) -> Verify<'p> {
        let sites = Sites::new(program, Purpose::Order, Budget::new(BUDGET));
        let loads = Loads::new(&program.exprs);
        let effects = Effects::of_block(&program.body, &loads);
        Verify {
            p: program,
            sites,
            effects,
            answered: answered(&program.body),
            loads,
            has_own: own::any(program),
            filled: Filled::new(program),
            seen: Vec::new(),
            before: Vec::new(),
            launch: None,
            limits: Vec::new(),
            errors: Vec::new(),
            open: Vec::new(),
            unsettled: HashSet::default(),
            parted: HashMap::default(),
            depth: cut::MAX_DEPTH,
        }
    }

    fn launch(&mut self) -> &mut Launch<'p> {
        self.launch.get_or_insert_with(|| Launch::new(self.p))
    }

    /// What threads read of their own arrays, and nobody may have written.
    fn own_arrays(&mut self, stmt: &Stmt) {
        if !self.has_own {
            return;
        }
        for read in own::unwritten(self.p, &self.loads, stmt, &mut self.sites) {
            // Whoever wrote the rest, a value that nobody wrote is never right.
            let claim = self.filled.claim(read.array).max(Claim::MustProve);
            self.judge(read.array, (claim, read.span), About::Reads, read.verdict);
        }
    }

    /// Races between parties, array by array.
    fn phases(&mut self, found: &[Site], parties: (Parties, &HashSet<VarId>)) {
        for (array, finding, span) in self.raced(found, parties) {
            self.judge(array, (finding.claim, span), About::Writes, finding.verdict);
        }
    }

    /// What there is to say of races, array by array, and where.
    fn raced(&mut self, found: &[Site], parties: (Parties, &HashSet<VarId>)) -> Vec<(ArrayId, Finding, diag::Span)> {
        let mut arrays: Vec<ArrayId> = found.iter().filter(|s| s.kind != Kind::Read).map(|s| s.array).collect();
        arrays.sort_unstable();
        arrays.dedup();
        arrays.retain(|&a| !self.is_plain_output(a));
        let mut all = Vec::new();
        for array in arrays {
            let of: Vec<Site> = found.iter().filter(|s| s.array == array).cloned().collect();
            if let Some(finding) = races(self.p, &of, parties, &mut self.sites) {
                let span = of[finding.site].span;
                all.push((array, finding, span));
            }
        }
        all
    }

    fn judge(&mut self, array: ArrayId, (claim, span): (Claim, diag::Span), about: About, verdict: Verdict) {
        if matches!((&verdict, about), (Verdict::Unproved(_), About::Writes))
            && !self.is_plain_output(array)
            && let Some(products) = radix::apart(self.p, array)
                .or_else(|| radix::rows_apart(self.p, array))
                .or_else(|| radix::columns_apart(self.p, array))
                .or_else(|| partners_apart(self.p, array))
        {
            for factors in products {
                if !self.launch().product_at_most(&factors, 1 << 32) {
                    self.limits.push(Limit::Product { factors, times: 1 });
                }
            }
            return;
        }
        if matches!((&verdict, about), (Verdict::Unproved(_), About::Writes))
            && !self.is_plain_output(array)
            && self.are_parts_apart(array)
        {
            return;
        }
        if !matches!(verdict, Verdict::Proved)
            && matches!(about, About::Writes)
            && let Some(totals) = reserved::totals(self.p, array)
        {
            let limits = totals.into_iter().map(|Total { factors, times }| Limit::Product { factors, times });
            self.limits.extend(limits);
            return;
        }
        if matches!(about, About::Writes) && verdict != Verdict::Proved {
            self.unsettled.insert(array);
        }
        if let (Verdict::Unproved(_) | Verdict::Doubtful(_), Claim::ByConstruction) = (&verdict, claim) {
            self.open.push(format!("{about:?} of `{}`: {verdict:?}", self.p.array(array).name));
        }
        self.errors.extend(error(self.p, array, claim, span, about, verdict));
    }

    /// Whether [`Verify::outputs`] sees to an array. Where the author of an output answers for some of the writes he answers for their
    /// filling it; that the others do not meet is looked at as for any other array.
    fn is_plain_output(&self, array: ArrayId) -> bool {
        self.is_assigned_output(array) && !self.answered.contains(&array)
    }

    /// Whether an array is an output that is only assigned to.
    fn is_assigned_output(&self, array: ArrayId) -> bool {
        let Space::Global(param) = self.p.array(array).space else { return false };
        let output = matches!(self.p.param(param).kind, ParamKind::Output { .. });
        output && !self.effects.reads.contains(&array) && !self.effects.atomics.contains(&array)
    }
}

/// The arrays that are written in `unsafe`.
fn answered(body: &Block) -> HashSet<ArrayId> {
    let mut found = HashSet::default();
    walk::each(body, &mut |stmt| found.extend(walk::written(&stmt.kind).filter(|_| stmt.claim == Claim::Author)));
    found
}
