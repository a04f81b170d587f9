//! Faults planted in real programs: a barrier dropped, an array moved, an index shifted, a guard narrowed. The passes must
//! refuse the program, or the reference interpreter must notice, by a fault or by a result that is not the right one.

use std::collections::BTreeSet;

use obsidian_ir::compiler::Compiled;
use obsidian_ir::interp::{self, Args, Buffer, Outputs};
use obsidian_ir::passes::{barriers, bounds, verify};
use obsidian_ir::program::{Program, ScalarType};

#[path = "oracle/edit.rs"]
mod edit;
#[allow(dead_code)]
#[path = "oracle/sources.rs"]
mod sources;

/// The files that they stand in.
const FILES: [&str; 4] = ["fcl2016.rs", "jfp2016.rs", "jfp2016_scans.rs", "language.rs"];

/// The programs, and threads that make them cross threads and warps in most steps.
const PROGRAMS: [(&str, u32); 8] = [
    ("reductions", 64),
    ("reductions", 100),
    ("two_stage", 128),
    ("two_stage", 100),
    ("sum_red5", 64),
    ("sklansky_grid", 33),
    ("rotate_add", 64),
    ("reversed_chunks", 100),
];

/// Three chunks, no two elements or sums alike.
fn input(ty: ScalarType) -> Args {
    let bits = (0..3 * 512u64).map(|i| i * i * i % 1_000_003 + 1).collect();
    Args::new().buffer(Buffer { ty, bits })
}

/// Who notices a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Catcher {
    /// The passes, without running anything: an index that may be out of range, a race, an element left out, a barrier
    /// that is needed and not there.
    Proof,
    /// The interpreter: a fault, or a result that is not the right one.
    Run,
}

/// Who notices that a program, which gives `right`, has become `changed`.
fn noticed(args: &Args, right: &Outputs, changed: &Program) -> BTreeSet<Catcher> {
    let mut placed = changed.clone();
    barriers::place(&mut placed);
    let refused = bounds::check(changed).is_err() || verify::check(changed).is_err();
    let proof = (refused || placed.body != changed.body).then_some(Catcher::Proof);
    let run = (interp::run(changed, args).as_ref() != Ok(right)).then_some(Catcher::Run);
    proof.into_iter().chain(run).collect()
}

/// The native form of a kernel's first variant of so many threads.
fn native(entries: &[Compiled], name: &str, threads: u32) -> Program {
    let programs = sources::natives(entries, name).into_iter();
    let mut found = programs.filter(|program| program.threads == threads);
    found.next().unwrap_or_else(|| panic!("{name} has no variant of {threads} threads"))
}

/// What makes all changes of a kind.
type Changes = fn(&Program) -> Vec<(String, Program)>;

/// How many changes each catcher notices, and which nobody does.
#[derive(Default)]
struct Tally {
    changes: usize,
    proof: usize,
    run: usize,
    missed: Vec<String>,
}

fn tally(changes: Changes) -> Tally {
    let entries: Vec<Compiled> = sources::compiled(|file| FILES.contains(&file));
    let mut out = Tally::default();
    for (name, threads) in PROGRAMS {
        let whole = native(&entries, name, threads);
        let args = input(whole.arrays[0].elem);
        let right = interp::run(&whole, &args).expect("the program as compiled is right");
        for (what, changed) in changes(&whole) {
            let found = noticed(&args, &right, &changed);
            out.changes += 1;
            out.proof += usize::from(found.contains(&Catcher::Proof));
            out.run += usize::from(found.contains(&Catcher::Run));
            if found.is_empty() {
                out.missed.push(format!("{name}, {threads} threads: {what}"));
            }
        }
    }
    out
}

/// Prints a row of the table, and has every change noticed.
fn row(kind: &str, changes: Changes) -> Tally {
    let t = tally(changes);
    println!("{kind}: {} made, {} refused by the passes, {} noticed in a run", t.changes, t.proof, t.run);
    assert!(t.changes >= 8, "{kind}: {} changes", t.changes);
    assert_eq!(t.missed, [""; 0], "{kind}");
    t
}

/// No barrier is there for nothing: without it the pass finds it missing, and the interpreter sees a race or old data.
#[test]
fn every_dropped_barrier_is_noticed_twice() {
    let t = row("a barrier less", edit::without_each_barrier);
    assert_eq!((t.proof, t.run), (t.changes, t.changes));
}

#[test]
fn every_overlay_is_noticed() {
    row("an array over its neighbour", edit::with_each_overlay);
}

#[test]
fn every_shifted_index_is_noticed() {
    let t = row("an index one further", edit::with_each_index_shifted);
    assert!(t.proof * 2 > t.changes, "{} of {} refused", t.proof, t.changes);
}

#[test]
fn every_narrowed_guard_is_noticed() {
    row("a guard one narrower", edit::with_each_guard_narrowed);
}
