//! Cost: what a kernel asks of the machine, found while compiling.
//!
//! Needs: structured form, scheduled, with its levels still there; of a kernel with lanes, the form for machines; the
//! vectors that the machine form makes.
//! Gives: a [`Report`]: shared memory over time, barriers, the requests of each access to memory, arithmetic,
//! occupancy. Threads are shared out as `virtualise` does. Nothing is guessed: an access that depends on data, or is
//! too large to be analysed, is reported as such. Each round of a loop over threads counts for itself, though the
//! machine form may keep a value for all rounds.

mod collect;
mod devices;
mod launches;
mod operations;
mod report;
mod request;
mod traffic;
mod vectors;

pub use devices::{DEVICES, Device, most_blocks};
pub use launches::{has_chain, traffic};
pub use report::{
    Access, Action, Barriers, Certainty, Limit, LocalArray, Memory, Occupancy, Operations, Pattern, Placed, Report,
    Requests, SharedMemory, Site, VectorAccess,
};

use super::access::{Kind, Loads, Sites, Sure, Team};
use super::index::Budget;
use super::{barriers, liveness, own};
use crate::level::Level;
use crate::program::{Array, ArrayId, ParamId, ParamKind, Program, Space, StmtKind};
use collect::{Collected, DependsOnData, Found};
use traffic::Asked;
pub(super) use vectors::vectors;

/// The most values that are evaluated for one program.
const MAX_VALUES: u64 = 1 << 20;

/// The costs of a program.
pub fn report(p: &Program) -> Report {
    report_within(p, MAX_VALUES)
}

/// The costs of a program, and what only its machine form has: vector accesses, and arrays in local memory.
pub fn report_of(p: &Program, machine: &Program) -> Report {
    let (vectors, approximated) = (vectors::vectors(machine), operations::approximated(machine));
    let local = own::in_memory(machine).into_iter().map(|id| {
        let array = machine.array(id);
        let len = machine.exprs.as_u32(array.len).unwrap_or(0);
        LocalArray { site: Site { span: array.span, at: None }, bytes: len.saturating_mul(array.elem.bytes()) }
    });
    Report { vectors, approximated, local: local.collect(), ..report(p) }
}

fn report_within(p: &Program, budget: u64) -> Report {
    let Collected { found, work, mut sites } = collect::collect(p, Budget::new(budget));
    let record = p.params.iter().find_map(|param| match param.kind {
        ParamKind::Fault(array) => Some(array),
        _ => None,
    });
    let (record, found): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|f| Some(f.site.array) == record);
    let guards = record.iter().filter(|f| f.site.kind == Kind::Atomic).map(|f| Site { span: f.site.span, at: None });
    let guards = guards.collect();
    let accesses = accesses(p, &found, &mut sites);
    let (total, certainty) = operations::total(p, &work, &mut sites);
    let elements = written(p, &found, &accesses);
    let [block, warp] = barriers::count(&p.body);
    let occupancy = DEVICES.iter().map(|d| devices::occupancy(d, p.threads, p.shared_bytes)).collect();
    Report {
        name: p.name.clone(),
        threads: p.threads,
        shared: SharedMemory { bytes: p.shared_bytes, limit: p.shared_limit, map: map(p) },
        barriers: Barriers { block, warp },
        guards,
        local: Vec::new(),
        accesses,
        vectors: Vec::new(),
        operations: Operations { total: total.unwrap_or(0), elements, certainty },
        approximated: operations::approximated(p),
        occupancy,
        cut_short: sites.budget().given_up(),
    }
}

fn accesses(p: &Program, found: &[Found], sites: &mut Sites<'_>) -> Vec<Access> {
    let (mut data, mut asked) = (None, Asked::default());
    found.iter().map(|f| access(p, f, sites, &mut data, &mut asked)).collect()
}

fn access(
    p: &Program,
    f: &Found,
    sites: &mut Sites<'_>,
    data: &mut Option<DependsOnData>,
    asked: &mut Asked,
) -> Access {
    let array = p.array(f.site.array);
    let requests = match (&f.site.index, f.site.team) {
        (_, Team::Unknown) | (None, _) => None,
        (Some(index), _) => traffic::requests(p, f, index, sites, asked),
    };
    let pattern = match requests {
        Some(requests) => Pattern::Known(requests),
        None if data.get_or_insert_with(|| DependsOnData::of(p)).holds(f.site.at) => Pattern::DataDependent,
        None => Pattern::Unknown,
    };
    let certainty = match f.site.guard.sure {
        _ if f.site.open => Certainty::EachRound,
        Sure::Always => Certainty::Exact,
        _ => Certainty::AtMost,
    };
    let action = match f.site.kind {
        Kind::Read => Action::Load,
        Kind::Write => Action::Store,
        Kind::Atomic => Action::Atomic,
    };
    let (name, memory) = match array.space {
        Space::Global(param) => (field(p, f.site.array, param), Memory::Global),
        _ => (array.name.clone(), Memory::Shared),
    };
    let elements = traffic::elements(p, f, sites).unwrap_or(0);
    let site = Site { span: f.site.span.or(array.span), at: None };
    Access { array: name, elem: array.elem, memory, action, step: f.step, site, elements, pattern, certainty }
}

/// A buffer as the user names it: the parameter, and which field of it.
fn field(p: &Program, array: ArrayId, param: ParamId) -> String {
    let param = p.param(param);
    match &param.kind {
        ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. } | ParamKind::Output { arrays, .. }
            if arrays.len() > 1 =>
        {
            let place = arrays.iter().position(|&a| a == array).unwrap_or(0);
            format!("{}.{place}", param.name)
        }
        _ => param.name.clone(),
    }
}

/// Elements of outputs that a block writes; a tuple is one.
fn written(p: &Program, found: &[Found], accesses: &[Access]) -> u64 {
    let first = |array: ArrayId| match p.array(array).space {
        Space::Global(param) => match &p.param(param).kind {
            ParamKind::Output { arrays, .. } | ParamKind::InOut { arrays, .. } => arrays.first() == Some(&array),
            _ => false,
        },
        _ => false,
    };
    let writes = found.iter().zip(accesses).filter(|(f, _)| f.site.kind == Kind::Write && first(f.site.array));
    writes.map(|(_, a)| a.elements).sum()
}

/// The shared arrays, with when and where.
fn map(p: &Program) -> Vec<Placed> {
    let loads = Loads::new(&p.exprs);
    let (mut out, mut before) = (Vec::new(), 0);
    for stmt in &p.body {
        let StmtKind::DistrPar { level: Level::Block, body, .. } = &stmt.kind else { continue };
        let (live, steps) = liveness::intervals_and_steps(p, &loads, body);
        // A position lies in the step that started last.
        let step = |at: u32| before + (steps.iter().filter(|&&s| s <= at).count() as u32).max(1);
        for live in live {
            let array = p.array(live.array);
            out.extend(placed(p, array, (step(live.first), step(live.last))));
        }
        before += steps.len() as u32;
    }
    out
}

fn placed(p: &Program, array: &Array, (first, last): (u32, u32)) -> Option<Placed> {
    let (len, offset) = (p.exprs.as_u32(array.len)?, array.offset?);
    let copies = if array.space == Space::Shared(Level::Warp) { p.warps() } else { 1 };
    let bytes = len * array.elem.bytes() * copies;
    let (name, elem, stages) = (array.name.clone(), array.elem, array.stages);
    Some(Placed { name, elem, len, copies, stages, offset, bytes, first, last })
}

#[cfg(test)]
mod tests;
