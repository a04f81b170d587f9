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

#[test]
fn every_dropped_barrier_is_noticed() {
    assert_eq!(unnoticed(&PROGRAMS, edit::without_each_barrier), [""; 0]);
}

#[test]
fn every_overlay_is_noticed() {
    assert_eq!(unnoticed(&PROGRAMS, edit::with_each_overlay), [""; 0]);
}

#[test]
fn every_shifted_index_is_noticed() {
    assert_eq!(unnoticed(&PROGRAMS, edit::with_each_index_shifted), [""; 0]);
}
