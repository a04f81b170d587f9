//! Kernels in machine form against their native form, both on the interpreter, whose shuffles want all 32 lanes.

use obsidian_ir::interp::{self, Args};
use obsidian_ir::passes::walk;
use obsidian_ir::program::{Block, ShuffleKind, StmtKind, print};
use obsidian_lang::driver::Variant;

use super::compiled as variants;

fn compiled(text: &str, n: u32, threads: u32) -> Variant {
    let kernel = format!(
        "{text}
        #[kernel(threads = {threads})]
        fn f(input: DPull<u32>) -> DPush<Grid, u32> {{
            input.split_up({}).as_grid_map(|c| c.split_up({n}).as_block_map(|xs| exec_warp(g(xs))))
        }}",
        3 * n
    );
    variants(&kernel).swap_remove(0)
}

fn shuffles(list: &Block, out: &mut Vec<ShuffleKind>) {
    for stmt in list {
        if let StmtKind::Shuffle { kind, .. } = stmt.kind {
            out.push(kind);
        }
        walk::nested(&stmt.kind).for_each(|b| shuffles(b, out));
    }
}

/// Runs a warp program `g` on arrays of `n` elements with several numbers of threads. Gives its shuffles, and the bytes
/// of shared memory that it still takes a warp.
fn check(text: &str, n: u32) -> (Vec<ShuffleKind>, u32) {
    let data: Vec<u32> = (0..3 * n).map(|i| i.wrapping_mul(2_654_435_761) >> 9).collect();
    let mut found = None;
    for threads in [31, 32, 33, 100] {
        let v = compiled(text, n, threads);
        let expected = interp::run(&v.native, &Args::new().buffer(data.clone()));
        let expected = expected.unwrap_or_else(|f| panic!("{f}\n{}", print(&v.native))).to_vec::<u32>(0).expect("u32");
        for grid in [1, 2] {
            let out = interp::run_on(&v.machine, &Args::new().buffer(data.clone()), grid);
            let out = out.unwrap_or_else(|f| panic!("{f}\n{}", print(&v.machine))).to_vec::<u32>(0).expect("u32");
            assert_eq!(out, expected, "{threads} threads, {grid} blocks\n{}", print(&v.machine));
        }
        let mut kinds = Vec::new();
        shuffles(&v.machine.body, &mut kinds);
        if threads < 32 {
            assert!(kinds.is_empty(), "a warp of {threads} lanes shuffles");
        } else if threads < 64 {
            found = Some((kinds, v.machine.shared_bytes));
        }
    }
    found.expect("a whole warp")
}

const LENGTHS: [u32; 5] = [1, 20, 32, 40, 64];

#[test]
fn a_reduction_by_xor_takes_five_butterflies_and_a_broadcast() {
    let text = "fn g(xs: Pull<u32>) -> Program<Warp, Pull<u32>> {
        let mut acc = xs.compute_lanes();
        for k in 0..5 {
            let a = acc;
            acc = mk_pull(32, |i| a[i] + a[i ^ (1 << k)]).compute_lanes();
        }
        mk_pull(1, |_i| acc[31])
    }";
    let (kinds, shared) = check(text, 32);
    assert_eq!(kinds, [[ShuffleKind::Xor; 5].as_slice(), &[ShuffleKind::Index]].concat());
    assert_eq!(shared, 0);
}

#[test]
fn a_scan_of_any_length_stays_in_lanes() {
    let text = "fn g(xs: Pull<u32>) -> Program<Warp, Pull<u32>> {
        let n = xs.len();
        let mut acc = xs.compute_lanes();
        let mut d = 1;
        while d < n {
            let (a, e) = (acc, d);
            acc = mk_pull(n, |i| if i < e { a[i] } else { a[i - e] + a[i] }).compute_lanes();
            d = 2 * d;
        }
        acc
    }";
    for n in LENGTHS {
        assert_eq!(check(text, n).1, 0, "{n} elements");
    }
    assert_eq!(check(text, 8).0, [ShuffleKind::Up; 3]);
}

#[test]
fn neighbours_on_either_side_and_across_registers() {
    let text = "fn g(xs: Pull<u32>) -> Program<Warp, Pull<u32>> {
        let a = xs.compute_lanes();
        let n = xs.len();
        mk_pull(n, |i| {
            let left = if i > 0 { a[i - 1] } else { 7 };
            let right = if i + 1 < n { a[i + 1] } else { 9 };
            left * 3 + right + a[n - 1 - i] * 5 + a[(i * 7 + 3) % n] + a[n / 2]
        }).compute_lanes()
    }";
    for n in LENGTHS {
        assert_eq!(check(text, n).1, 0, "{n} elements");
    }
}

#[test]
fn an_index_that_is_data_is_gathered_from_every_register() {
    let text = "fn g(xs: Pull<u32>) -> Program<Warp, Pull<u32>> {
        let a = xs.compute_lanes();
        let b = mk_pull(xs.len(), |i| a[a[i] % xs.len()]).compute_lanes();
        mk_pull(xs.len(), |i| if xs[i] % 2 == 0 { b[b[i] % xs.len()] } else { 0 })
    }";
    for n in LENGTHS {
        let (kinds, shared) = check(text, n);
        assert_eq!(shared, 0, "{n} elements");
        let registers = n.div_ceil(32) as usize;
        let most = 2 * registers * registers;
        assert!(kinds.iter().all(|k| *k == ShuffleKind::Index) && kinds.len() <= most, "{n} elements: {kinds:?}");
    }
}

#[test]
fn loops_of_all_lanes_shuffle_in_each_round_and_others_in_front() {
    let together = "fn g(xs: Pull<u32>) -> Program<Warp, Push<Warp, u32>> {
        let a = xs.compute_lanes();
        let n = xs.len();
        mk_pull(n, |i| exec_thread(seq_fold(n, i, |acc, k| acc * 3 + a[k] + a[(i + k) % n]))).as_warp()
    }";
    let apart = "fn g(xs: Pull<u32>) -> Program<Warp, Push<Warp, u32>> {
        let a = xs.compute_lanes();
        let n = xs.len();
        mk_pull(n, |i| exec_thread(seq_while(xs[i] % 9, |s| s < 100, |s| s * 2 + 1 + a[n - 1 - i] % 5))).as_warp()
    }";
    let neither = "fn g(xs: Pull<u32>) -> Program<Warp, Push<Warp, u32>> {
        let a = xs.compute_lanes();
        let n = xs.len();
        mk_pull(n, |i| exec_thread(seq_while(xs[i] % 9, |s| s < 100, |s| s + 1 + a[s % n] % 5))).as_warp()
    }";
    for n in LENGTHS {
        assert_eq!(check(together, n).1, 0, "{n} elements");
        assert_eq!(check(apart, n).1, 0, "{n} elements");
    }
    for n in LENGTHS.into_iter().filter(|&n| n > 1) {
        let (kinds, shared) = check(neither, n);
        assert_eq!((kinds.len(), shared), (0, 4 * n), "lanes part ways, each with an index of its own");
    }
}

#[test]
fn what_is_not_written_by_its_own_lane_is_in_memory_and_the_rest_is_not() {
    let text = "fn g(xs: Pull<u32>) -> Program<Warp, Pull<u32>> {
        let a = xs.push().reverse().compute_lanes();
        let b = mk_pull(xs.len(), |i| a[i] + 1).compute_lanes();
        mk_pull(xs.len(), |i| b[xs.len() - 1 - i])
    }";
    let (kinds, shared) = check(text, 32);
    assert_eq!((kinds.as_slice(), shared), ([ShuffleKind::Xor].as_slice(), 128));
}

#[test]
fn a_long_array_is_in_memory() {
    let text = "fn g(xs: Pull<u32>) -> Program<Warp, Pull<u32>> {
        let a = xs.compute_lanes();
        mk_pull(xs.len(), |i| a[i] + 1)
    }";
    assert_eq!(check(text, 512).1, 0);
    assert_eq!(check(text, 514).1, 514 * 4);
}

#[test]
fn arrays_carried_through_a_loop_of_the_warp() {
    // The two halves of the input, one after the other in one warp; a first array lives through all of it.
    let text = "fn g(xs: Pull<u32>) -> Program<Warp, Push<Warp, u32>> {
        let first = xs.take(xs.len() / 2).compute_lanes();
        xs.split_into(2).map(|half| exec_warp(h(first, half))).as_warp()
    }
    fn h(first: Pull<u32>, xs: Pull<u32>) -> Program<Warp, Pull<u32>> {
        let a = xs.compute_lanes();
        let n = xs.len();
        mk_pull(n, |i| a[n - 1 - i] + first[(i + 1) % n]).compute_lanes()
    }";
    for n in [2, 40, 64, 128] {
        assert_eq!(check(text, n).1, 0, "{n} elements");
    }
}

#[test]
fn a_vote_of_few_elements_counts_no_other_lanes() {
    for n in [2, 20, 32] {
        let text = format!(
            "fn g(xs: Pull<u32>) -> Program<Warp, Pull<u32>> {{
                let odd = xs.map(|x| x % 2 == 1);
                let mask = ballot(xs.map(|x| x != 12345));
                let some = any(odd) as u32;
                let every = all(xs.map(|x| x != 12345)) as u32;
                mk_pull({n}, |i| mask + some * 2 + every * 4 + i)
            }}"
        );
        let (kinds, shared) = check(&text, n);
        assert!(kinds.contains(&ShuffleKind::Ballot) && shared == 0, "{n}: {kinds:?}");
    }
}

#[test]
fn keys_are_matched_with_the_own_one_only() {
    let of = |own: &str| {
        format!(
            "fn g(xs: Pull<u32>) -> Program<Warp, Pull<u32>> {{
                let held = xs.map(|x| x % 4).compute_lanes();
                mk_pull(32, |i| {{
                    let mut mask: u32 = 0;
                    for k in 0..32 {{ mask = mask | (((held[k] == held[{own}]) as u32) << k); }}
                    mask
                }}).compute_lanes()
            }}"
        )
    };
    assert_eq!(check(&of("i"), 32).0, [ShuffleKind::Same]);
    // Of another lane's key it is no vote of this lane.
    assert!(!check(&of("31 - i"), 32).0.contains(&ShuffleKind::Same));
    assert!(!check(&of("7"), 32).0.contains(&ShuffleKind::Same));
}
