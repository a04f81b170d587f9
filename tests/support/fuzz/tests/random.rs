//! The tools for random kernels: a planted fault is found and shrunk, the generator uses all that it knows, and kernels
//! that once showed a fault stay right. The random kernels themselves are run by `fuzz/devices`.

use obsidian_fuzz::ast::{Expr, Kernel, Op};
use obsidian_fuzz::check::{self, Verdict, Wrong};
use obsidian_fuzz::coverage::Coverage;
use obsidian_fuzz::{campaign, generate, keep, placed, print, shrink};
use obsidian_ir::program::BinOp;

/// The first seed: that of the kernels that `fuzz/devices` runs, on the CPU too.
const SEED: u64 = 20_261_121;
/// How many kernels are made.
const COUNT: u64 = 2000;

fn told(make: fn(u64) -> Kernel, seed: u64, wrong: &Wrong) -> String {
    campaign::report_by_interpreters(&make(seed), wrong)
}

/// Chains of launches mean what the lists mean; and each kernel's PTX gives on what it was given what the interpreter gives.
#[test]
fn random_programs_of_several_launches_are_right() {
    let seeds = SEED..SEED + 180;
    let report = campaign::run(seeds.clone(), generate::of_launches);
    let wrong = report.wrong.iter().take(1).map(|(seed, wrong)| told(generate::of_launches, *seed, wrong));
    assert!(report.wrong.is_empty(), "{}", wrong.collect::<String>());
    let made: Vec<Kernel> = seeds.map(generate::of_launches).collect();
    assert!(made.iter().filter(|kernel| kernel.launches()).count() > 60 && report.same > 100, "{}", report.text());
    let coverage = Coverage::of(made.into_iter());
    for what in [
        "stored at Device",
        "scanned at Device",
        "reduced at Device",
        "repeated at Device",
        "chosen at Device",
        "replaced in some rounds at Device",
        "sorted at Device",
        "parted at Device",
        "scanned without its own at Device",
        "segments scanned at Device",
        "segments reduced at Device",
        "runs at Device",
        "greatest at Device",
        "turned at Device",
        "chained at Device",
    ] {
        assert!(coverage.names.contains_key(what), "never made: {what}");
    }
}

#[test]
fn a_campaign_counts_what_comes_of_kernels() {
    let report = campaign::run(SEED..SEED + 40, generate::of_seed);
    let told: Vec<String> =
        report.wrong.iter().take(1).map(|(seed, wrong)| told(generate::of_seed, *seed, wrong)).collect();
    assert!(report.wrong.is_empty(), "{}", told.join("\n"));
    assert_eq!(report.same + report.refusals(), 40);
    assert!(report.same > 30 && report.text().starts_with(&format!("{} agree", report.same)), "{}", report.text());
}

/// `-` means `+`.
fn planted(op: BinOp) -> BinOp {
    if op == BinOp::Sub { BinOp::Add } else { op }
}

fn subtracts(e: &Expr) -> bool {
    matches!(e.op, Op::Bin(BinOp::Sub) | Op::Updates("atomic_sub", ..) | Op::Bump(_)) || e.args.iter().any(subtracts)
}

#[test]
fn a_planted_fault_is_found_and_made_small() {
    let planted = |k: &_| check::check_with(k, planted);
    let found = (SEED..SEED + 200).map(generate::of_seed).find_map(|kernel| match planted(&kernel) {
        Verdict::Wrong(wrong) if wrong.who == check::Who::Interpreter => Some((kernel, wrong)),
        _ => None,
    });
    let (kernel, wrong) = found.expect("one of 200 kernels subtracts");
    let small = shrink::shrink_wrong(&kernel, wrong.who, planted);
    let text = print::kernel(&small, "k");
    assert!(matches!(planted(&small), Verdict::Wrong(_)), "{text}");
    assert_eq!(check::check(&small), Verdict::Same, "without the fault all is well\n{text}");
    assert!(small.exprs().any(subtracts), "{text}");
    assert!(small.nodes() <= 24 && small.nodes() < kernel.nodes() && small.threads == 1, "{}\n{text}", small.nodes());
}

/// Without this the test above would be worth little.
#[test]
fn the_generator_makes_use_of_all_it_knows() {
    let coverage = Coverage::of((SEED..SEED + COUNT).map(generate::of_seed));
    println!("{coverage}");
    let found = &coverage.names;
    let wanted = "map zip_with zip reverse rotate shift_right stencil pad_to unpair append interleave singleton replicate iota \
        take take_last drop halve even_odds evens odds every_nth split_up split_into coalesce concat transpose two ilv vee ilv2 \
        vee2 i_swap2 i_swap3 ix_map mk_pull push load compute force compute_padded compute_lanes ballot any all match_any reduce red1 red2 reduce_lanes scan_lanes \
        scan_kogge_stone scan_kogge_stone_push scan_brent_kung scan_sklansky1 scan_sklansky2 scan_sklansky3 sort_tree tsort2 \
        sort_periodic vsort2 sort_bitonic sort_odd_even power s_map_accum seq_fold seq_while seq_reduce foldl sum product minimum maximum count seq_map seq_scan \
        seq_scan_cin scanl map_accum_l map_accum_r as_thread_map as_warp_map as_block_map as_grid_map exec_thread exec_warp \
        exec_block atomic_add atomic_sub atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_exchange mul_add clamp rotate_left \
        rotate_right wrapping_shl wrapping_shr swap_bytes signum is_nan recip saturating_add saturating_sub abs_diff isqrt next_power_of_two pow \
        mk_push interleave_with interleave_seq unrolled for Add Sub Mul Div Rem And Or Xor Shl \
        Shr Min Max Eq Ne Lt Le Gt Ge Neg Not Abs Sqrt Floor Ceil Trunc CountOnes LeadingZeros TrailingZeros ReverseBits";
    let missing: Vec<&str> = wanted.split_whitespace().filter(|name| !found.contains_key(*name)).collect();
    assert!(missing.is_empty(), "never made: {missing:?}");
    let kinds = [
        "a match",
        "an array literal",
        "a loop that is left",
        "a loop downwards",
        "a loop by steps",
        "in place",
        "a helper",
        "a name",
        "a parameter",
        "a recursion",
        "a buffer updated",
        "changes",
        "rows",
        "turned rows",
        "reduced rows",
        "mapped matrix",
        "transposed matrix",
        "turned matrix",
        "part of a matrix",
        "stencil_2d",
        "stencil_2d_fill",
        "stencil_2d_wrap",
        "stencil_2d_mirror",
        "rows of a matrix",
        "reduced rows of a matrix",
        "reduced columns of a matrix",
        "tiles of a matrix",
        "one row of a matrix",
        "one column of a matrix",
        "a structure",
        "const items",
        "assert!",
        "compact and get_or",
        "registers",
        "parts in step",
        "an operator of choices",
        "a choice of stored arrays",
    ];
    for kind in kinds.into_iter().chain(["several threads"]) {
        assert!(found.contains_key(kind), "never made: {kind}");
    }
}

#[test]
fn kernels_that_were_kept_are_right() {
    let files = keep::files().expect("the folder of kept kernels");
    assert!(!files.is_empty());
    for (path, text) in files {
        let right = keep::case(&text).and_then(|case| case.interpreted().map_err(|wrong| wrong.to_string()));
        right.unwrap_or_else(|what| panic!("{}: {what}", path.display()));
    }
}

/// Whoever places every write makes mistakes: what is accepted of it has none, in five orders of blocks, warps and threads.
#[test]
fn what_is_accepted_of_kernels_that_place_every_write_runs_in_every_order() {
    // That one reads a row that data says, with an index that a guard is for.
    let found_before = placed::run(5_000_834..5_000_835);
    assert_eq!((found_before.right, found_before.wrong.len()), (1, 0), "{:?}", found_before.wrong);
    let report = placed::run(0..500);
    println!("{}", report.text());
    let told: Vec<String> = report.wrong.iter().take(1).map(|(seed, what)| format!("seed {seed}: {what}")).collect();
    assert!(report.wrong.is_empty(), "{}", told.join("\n"));
    assert!(report.right > 30 && report.launches.ran > 60, "{}", report.text());
    for what in [
        "seq_for",
        "seq_for, rounds known",
        "distr_par of warps",
        "distr_par of blocks",
        "for_all",
        "for",
        "while",
        "parts of one array",
        "turns",
        "loops in parts",
        "loops in loops",
        "turns of a block's threads",
    ] {
        assert!(
            report.made_of.get(what).is_some_and(|counts| counts.1 > 0),
            "never accepted: {what}\n{}",
            report.text()
        );
    }
    for what in [
        "a block's array",
        "a warp's array",
        "a thread's own array",
        "an array filled in part",
        "atomic_add",
        "write_to",
        "power",
        "a write in both sides",
        "a test that computes",
        "a queue",
        "places of a thread",
        "places of a level",
        "a matrix by row and column",
        "a matrix in loops",
        "a coordinate of data",
    ] {
        assert!(
            report.made_of.get(what).is_some_and(|counts| counts.1 > 0),
            "never accepted: {what}\n{}",
            report.text()
        );
    }
    // These are wrong wherever they stand.
    for what in ["a write in the test of a `while`", "two writes in one side"] {
        assert!(
            report.made_of.get(what).is_some_and(|counts| counts.0 > 5 && counts.1 == 0),
            "not made, or accepted: {what}\n{}",
            report.text()
        );
    }
    for what in [
        "several outputs",
        "a launch scalar in an index",
        "blocks known at launch",
        "a round in another digit",
        "data as a digit of an index",
        "tiles that are cut off",
        "blocks in cases",
    ] {
        assert!(
            report.made_of.get(what).is_some_and(|counts| counts.1 > 0),
            "never accepted: {what}\n{}",
            report.text()
        );
    }
}
