//! The oracle's own test: faults planted in real programs, which the reference interpreter must notice, by a fault or
//! by a result that is not the right one.

use obsidian_ir::compiler::Compiled;
use obsidian_ir::interp::{self, Args, Buffer};
use obsidian_ir::program::{Program, ScalarType};

#[path = "oracle/edit.rs"]
mod edit;
#[allow(dead_code)]
#[path = "oracle/sources.rs"]
mod sources;

/// The programs, and threads that make them cross threads and warps in most steps.
const PROGRAMS: [(&str, u32); 6] = [
    ("reductions", 64),
    ("reductions", 100),
    ("two_stage", 128),
    ("two_stage", 100),
    ("sum_red5", 64),
    ("sum_red5", 33),
];

/// Three chunks, no two elements or sums alike.
fn input(ty: ScalarType) -> Args {
    let bits = (0..3 * 512u64).map(|i| i * i * i % 1_000_003 + 1).collect();
    Args::new().buffer(Buffer { ty, bits })
}

/// How a changed program was noticed; `None`: it was not.
fn noticed(whole: &Program, changed: &Program) -> Option<String> {
    let args = input(whole.arrays[0].elem);
    let right = interp::run(whole, &args).expect("the program as compiled is right");
    match interp::run(changed, &args) {
        Err(fault) => Some(fault.to_string()),
        Ok(found) => (found != right).then(|| "a wrong result".into()),
    }
}

/// What of the changes to every program goes unnoticed.
fn unnoticed(programs: &[(&str, u32)], changes: impl Fn(&Program) -> Vec<(String, Program)>) -> Vec<String> {
    let entries: Vec<Compiled> = sources::compiled();
    let mut out = Vec::new();
    for &(name, threads) in programs {
        let whole = sources::native(&entries, name, threads);
        let changes = changes(&whole);
        assert!(changes.len() >= 4, "{name}, {threads} threads: {} changes", changes.len());
        let missed = changes.iter().filter(|(_, changed)| noticed(&whole, changed).is_none());
        out.extend(missed.map(|(what, _)| format!("{name}, {threads} threads: {what}")));
    }
    out
}

/// Barriers that can go one at a time, because no element crosses threads there: the last two lie between steps of
/// thread 0 alone, and with 64 threads the first steps of `reductions` read what the same thread wrote (elements 64 and
/// 128 apart). `passes::barriers` does not look at elements; when it does, this list gets shorter.
const NEEDLESS: [&str; 12] = [
    "reductions, 64 threads: the Block's barrier before s2",
    "reductions, 64 threads: the Block's barrier before s3",
    "reductions, 64 threads: the Block's barrier before out",
    "reductions, 64 threads: the Block's barrier before the end",
    "reductions, 100 threads: the Block's barrier before out",
    "reductions, 100 threads: the Block's barrier before the end",
    "two_stage, 128 threads: the Block's barrier before out",
    "two_stage, 128 threads: the Block's barrier before the end",
    "two_stage, 128 threads: the Warp's barrier before s6",
    "two_stage, 100 threads: the Block's barrier before out",
    "two_stage, 100 threads: the Block's barrier before the end",
    "two_stage, 100 threads: the Warp's barrier before s6",
];

#[test]
fn every_dropped_barrier_is_noticed() {
    assert_eq!(unnoticed(&PROGRAMS, edit::without_each_barrier), NEEDLESS);
}

/// The next round writes over what the last steps read: one of the two last barriers may go, not both.
#[test]
fn two_needless_barriers_may_need_each_other() {
    let entries = sources::compiled();
    for (name, threads) in [("reductions", 64), ("reductions", 100), ("two_stage", 128), ("two_stage", 100)] {
        let whole = sources::native(&entries, name, threads);
        let changed = edit::without(&whole, &["the Block's barrier before out", "the Block's barrier before the end"]);
        let fault = noticed(&whole, &changed).unwrap_or_else(|| panic!("{name}, {threads} threads: unnoticed"));
        assert!(fault.starts_with("race on "), "{name}, {threads} threads: {fault}");
    }
}

/// All but one of what `NEEDLESS` lists of a program may go together.
#[test]
fn the_needless_barriers_of_reductions_go_together() {
    let whole = sources::native(&sources::compiled(), "reductions", 64);
    let needless = ["the Block's barrier before s2", "the Block's barrier before s3", "the Block's barrier before out"];
    assert_eq!(noticed(&whole, &edit::without(&whole, &needless)), None);
}

#[test]
fn every_overlay_is_noticed() {
    assert_eq!(unnoticed(&PROGRAMS, edit::with_each_overlay), [""; 0]);
}

#[test]
fn every_shifted_index_is_noticed() {
    assert_eq!(unnoticed(&PROGRAMS, edit::with_each_index_shifted), [""; 0]);
}
