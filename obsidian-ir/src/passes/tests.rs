//! Whole programs through all passes: every form on the interpreter.

use super::*;
use crate::interp::{self, Args};
use crate::program::text::read;
use crate::program::{Block, StmtKind, VarId, print};

pub(super) const THREADS: [u32; 9] = [1, 2, 31, 32, 33, 64, 100, 257, 1024];

fn data(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2654435761) >> 5).collect()
}

fn both(make: fn(u32) -> Program, n: u32, expected: &[u32]) {
    for threads in THREADS {
        let mut p = make(threads);
        structured(&mut p).expect("fits");
        let out = interp::run(&fixture::native(&p), &Args::new().buffer(data(n)));
        let out = out.unwrap_or_else(|f| panic!("{threads} threads: {f}\n{}", crate::program::print(&p)));
        assert_eq!(out.to_vec::<u32>(0).as_deref(), Some(expected), "native, {threads} threads");
        for grid in [1, 3] {
            assert_eq!(
                fixture::run_on(&fixture::machine(&p), grid, &data(n)),
                expected,
                "machine, {threads} threads, {grid} blocks"
            );
            assert_eq!(
                fixture::run_on(&fixture::group(&p), grid, &data(n)),
                expected,
                "group, {threads} threads, {grid} blocks"
            );
        }
    }
}

#[test]
fn saxpy_is_right_for_any_launch() {
    let expected: Vec<u32> = data(3000).iter().map(|x| x.wrapping_mul(3).wrapping_add(7)).collect();
    both(fixture::saxpy, 3000, &expected);
}

#[test]
fn reduction_in_blocks_is_right_for_any_launch() {
    let expected: Vec<u32> = data(2048).chunks(512).map(|c| c.iter().fold(0, |a: u32, &x| a.wrapping_add(x))).collect();
    both(fixture::reduce, 2048, &expected);
}

#[test]
fn reduction_in_warps_is_right_for_any_launch() {
    let expected: Vec<u32> = data(1024).chunks(64).map(|c| c.iter().fold(0, |a: u32, &x| a.wrapping_add(x))).collect();
    both(fixture::warp_reduce, 1024, &expected);
}

/// Every variable bound in a list, once for each binding.
fn bound(list: &Block, vars: &mut Vec<VarId>) {
    for stmt in list {
        match &stmt.kind {
            StmtKind::Let { var, .. } | StmtKind::Local { var, .. } | StmtKind::SeqFor { var, .. } => vars.push(*var),
            _ => {}
        }
        walk::nested(&stmt.kind).for_each(|b| bound(b, vars));
    }
}

#[test]
fn unrolled_rounds_bind_variables_of_their_own() {
    for threads in THREADS {
        let mut p = fixture::saxpy(threads);
        structured(&mut p).expect("fits");
        let p = fixture::machine(&p);
        let mut vars = Vec::new();
        bound(&p.body, &mut vars);
        let all = vars.len();
        vars.sort_unstable();
        vars.dedup();
        assert_eq!(vars.len(), all, "{}", crate::program::print(&p));
    }
}

/// Rows of 8 elements, turned round.
const ROWS: &str = "\
kernel turned (threads = 64, shared = 0 B)
  in  xs: u32[len(xs)]
  out out: u32[(len(xs) >> 6) * 64]
  distribute Block b0 < len(xs) >> 6
    shared per Block s1: u32[64] rows of 8 by 9
    forall Block i1 < 64
      s1[i1] = xs[(b0 * 64) + i1] + 1
    forall Block i2 < 64
      out[(b0 * 64) + i2] = s1[63 - i2]
";

#[test]
fn rows_have_gaps_where_there_are_banks() {
    let program = read(ROWS).expect("a program");
    let forms = lower(&place(&program).expect("fits")).expect("forms");
    let has = |form: &Program, len: &str| print(form).contains(&format!("s1: u32[{len}]"));
    assert!(has(&forms.native, "64") && has(&forms.machine, "71") && has(&forms.group, "71"));
    // The report is that of the machine, although the programs are alike but for the gaps.
    assert_eq!(forms.report.data().shared_bytes, 71 * 4);
    let out = interp::run(&forms.native, &Args::new().buffer(data(128))).expect("runs");
    let expected: Vec<u32> = data(128).chunks(64).flat_map(|c| c.iter().rev().map(|x| x + 1)).collect();
    assert_eq!(out.to_vec::<u32>(0), Some(expected));
}
