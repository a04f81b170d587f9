//! Whole programs through the passes and the interpreter.

use super::*;
use crate::level::Level;
use crate::passes::{self, fixture};
use crate::program::{Program, StmtKind};

fn data(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2654435761) >> 7).collect()
}

fn sums(data: &[u32]) -> Vec<u32> {
    data.chunks(512).map(|c| c.iter().fold(0u32, |a, &x| a.wrapping_add(x))).collect()
}

fn reduce(p: &Program, n: u32) -> Result<Outputs, Fault> {
    run(&passes::native(p), &Args::new().buffer(data(n)))
}

fn structured(threads: u32) -> Program {
    let mut p = fixture::reduce(threads);
    passes::structured(&mut p).expect("fits");
    p
}

#[test]
fn a_tree_reduction_is_right_for_any_number_of_threads() {
    for threads in [1, 32, 33, 64, 100, 1024] {
        let p = structured(threads);
        let out = reduce(&p, 2048).unwrap_or_else(|f| panic!("{threads} threads: {f}"));
        assert_eq!(out.to_vec::<u32>(0), Some(sums(&data(2048))), "{threads} threads");
    }
}

/// The statements of the one grid loop.
fn block(p: &mut Program) -> &mut Vec<crate::program::Stmt> {
    match &mut p.body[0].kind {
        StmtKind::DistrPar { body, .. } => body,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_dropped_barrier_is_found() {
    let is_sync = |s: &crate::program::Stmt| matches!(s.kind, StmtKind::Sync { scope: Level::Block });
    // With 100 threads every step reads what other threads wrote; with a power of two the first steps do not.
    let whole = structured(100);
    let syncs: Vec<usize> =
        block(&mut whole.clone()).iter().enumerate().filter(|(_, s)| is_sync(s)).map(|(i, _)| i).collect();
    assert!(syncs.len() >= 8, "{}", crate::program::print(&whole));
    for at in syncs {
        let mut p = whole.clone();
        block(&mut p).remove(at);
        let fault = reduce(&p, 1024).expect_err("a race");
        assert!(matches!(fault, Fault::Race { .. }), "barrier {at}: {fault}");
    }
}

#[test]
fn a_wrong_overlay_is_found() {
    let mut p = structured(1);
    let at: Vec<usize> = (0..p.arrays.len()).filter(|&i| p.arrays[i].name.starts_with('s')).collect();
    p.arrays[at[1]].offset = p.arrays[at[0]].offset.map(|o| o + 256);
    // One thread: nothing races, but the second array overwrites what is still read of the first.
    let fault = reduce(&p, 512).expect_err("an overlay");
    assert!(matches!(fault, Fault::Uninitialised { holds: Some(_), .. }), "{fault}");
}

#[test]
fn two_to_the_sixteen_elements_are_quick() {
    let p = structured(256);
    let out = reduce(&p, 1 << 16).expect("runs");
    assert_eq!(out.to_vec::<u32>(0), Some(sums(&data(1 << 16))));
}
