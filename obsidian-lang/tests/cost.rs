//! Costs that the compiler reports, held against the addresses that the interpreter asks for, on every program of
//! `programs`; and the guide's page on them, which is rendered from it: `OBSIDIAN_BLESS=1 cargo test -p obsidian-lang --test cost`.

#[path = "cost/count.rs"]
mod count;
#[path = "cost/gallery.rs"]
mod gallery;
#[path = "cost/known.rs"]
mod known;
#[path = "cost/page.rs"]
mod page;
#[path = "cost/programs.rs"]
mod programs;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use count::{Count, counted};
use obsidian_ir::passes::cost::{self, Access, Action, Certainty};
use obsidian_ir::passes::{self, walk};
use obsidian_ir::program::{Program, Stmt, StmtKind};
use obsidian_lang::driver::{Stage, stop_after};
use obsidian_lang::syntax::SpanTable;
use obsidian_sources as sources;

/// What the report says of each array and kind of access, where it is sure; `None` where it is not.
fn reported(accesses: &[Access]) -> BTreeMap<(String, Action), Option<Count>> {
    let mut all: BTreeMap<(String, Action), Option<Count>> = BTreeMap::new();
    for a in accesses {
        let sum = all.entry((a.array.clone(), a.action)).or_insert(Some(Count::default()));
        let sure = a.certainty == Certainty::Exact;
        *sum = match (sum.take(), a.requests().filter(|_| sure)) {
            (Some(sum), Some(r)) if r.alignments == 1 => Some(Count {
                requests: sum.requests + r.count,
                transactions: sum.transactions + r.transactions as u64,
                least: sum.least + r.least,
                worst: sum.worst.max(r.worst),
                wanted: sum.wanted + r.wanted,
                elements: sum.elements + a.elements,
            }),
            _ => None,
        };
    }
    all
}

/// Counts the addresses of all requests one by one, and compares. Gives how many arrays were compared, and how many not.
fn compare(p: &Program) -> (usize, usize) {
    let Some(trace) = programs::trace(p) else { return (0, 0) };
    let grids = p.body.iter().filter(|s| matches!(s.kind, StmtKind::DistrPar { .. })).count().max(1) as u64;
    let blocks = trace.iter().map(|t| t.block).collect::<BTreeSet<_>>().len() as u64;
    let times = (blocks / grids).max(1);
    let report = cost::report(p);
    assert!(!report.cut_short, "{}: the budget is too small", p.name);
    let found = counted(p, &trace);
    let mut tally = (0, 0);
    for (what, expected) in reported(&report.accesses) {
        let Some(e) = expected else {
            tally.1 += 1;
            continue;
        };
        let f = found.get(&what).copied().unwrap_or_default();
        let e = Count {
            requests: e.requests * times,
            transactions: e.transactions * times,
            least: e.least * times,
            wanted: e.wanted * times,
            elements: e.elements * times,
            worst: e.worst,
        };
        assert_eq!(e, f, "{}, {what:?}: reported, and counted\n{report}", p.name);
        tally.0 += 1;
    }
    tally
}

/// The forms with levels that costs are counted from where the machine form has vectors, of all variants of a program.
fn with_vectors(kernel: &proc_macro2::TokenStream) -> Vec<Program> {
    let evaluated = stop_after(Stage::Evaluated, kernel.clone(), &mut SpanTable::default());
    let last = |program: Program| {
        let name = program.name.clone();
        let steps = passes::prove(program).and_then(|proved| passes::steps(&proved));
        let steps = steps.unwrap_or_else(|e| panic!("{name}: {e}")).into_iter();
        steps.filter(|step| step.to == "report").last().map(|step| step.program)
    };
    evaluated.expect("compiles, as it did in its crate").into_programs().into_iter().filter_map(last).collect()
}

/// Whether several elements are accessed at a time.
fn in_vectors(body: &[Stmt]) -> bool {
    let vector = |s: &Stmt| matches!(s.kind, StmtKind::LoadVector { .. } | StmtKind::StoreVector { .. });
    body.iter().any(|s| vector(s) || walk::nested(&s.kind).any(|inner| in_vectors(inner)))
}

/// Compares programs, on all cores. Gives how many arrays were compared, and how many not.
fn compare_all(programs: &[&Program]) -> (usize, usize) {
    let (next, tally) = (AtomicUsize::new(0), Mutex::new((0, 0, Vec::new())));
    let worker = || {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = catch_unwind(|| compare(program));
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            match found {
                Ok((yes, no)) => (tally.0, tally.1) = (tally.0 + yes, tally.1 + no),
                Err(_) => tally.2.push(program.name.clone()),
            }
        }
    };
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(worker);
        }
    });
    let (compared, open, failed) = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{compared} arrays compared, {open} not known while compiling");
    assert!(failed.is_empty(), "see above: {failed:?}");
    (compared, open)
}

#[test]
fn vectors_are_what_the_interpreter_asks_for() {
    let kernels = sources::kernels(|_| true);
    let programs: Vec<Program> = kernels.iter().flat_map(with_vectors).filter(|p| in_vectors(&p.body)).collect();
    let (compared, open) = compare_all(&programs.iter().collect::<Vec<_>>());
    // Nothing is known while compiling of loops whose number of rounds depends on data.
    assert!(compared > 6 * open && compared > 500, "{compared} arrays compared, {open} not");
}

/// One test for both: compiling all programs takes longer than either.
#[test]
fn the_report_is_what_the_interpreter_asks_for_and_the_page_says_so() {
    let entries = sources::compiled(|_| true);
    page::is_up_to_date(&entries);
    gallery::is_up_to_date(&entries);
    let variants = entries.iter().flat_map(|entry| &entry.variants);
    let (compared, open) = compare_all(&variants.map(|variant| &*variant.native).collect::<Vec<_>>());
    // Only the launch knows where the rows of a matrix begin, and only the data how many rounds some loops have: in one of these 64
    // registers of each thread are changed, which natively are arrays.
    assert!(compared > 3 * open && compared > 1000, "{compared} arrays compared, {open} not");
}
