//! Random kernels: their meaning, the reference interpreter and the PTX agree. And the tools: a planted fault is found and made
//! small, the generator makes use of all it knows, kernels that once showed a fault stay right.

use std::collections::BTreeSet;
use std::path::Path;

use obsidian_fuzz::ast::{Expr, Op};
use obsidian_fuzz::check::{self, Verdict};
use obsidian_fuzz::{campaign, generate, keep, print, shrink};
use obsidian_ir::program::BinOp;

/// The first seed.
const SEED: u64 = 20_261_121;
/// Kernels that are run.
const COUNT: u64 = 2000;
/// Of a hundred kernels the compiler may refuse so many: what it cannot prove, or what does not fit.
const REFUSED_PERCENT: u64 = 5;

#[test]
fn random_kernels_mean_the_same_everywhere() {
    let report = campaign::run(SEED..SEED + COUNT);
    println!("seeds {SEED} to {}: {}", SEED + COUNT - 1, report.text());
    let told: Vec<String> = report.wrong.iter().take(3).map(|(seed, wrong)| campaign::told(*seed, wrong)).collect();
    assert!(report.wrong.is_empty(), "{} kernels are wrong\n{}", report.wrong.len(), told.join("\n"));
    assert!(report.refusals() * 100 <= COUNT * REFUSED_PERCENT, "too many are refused: {}", report.text());
    assert_eq!(report.same + report.refusals(), COUNT);
}

/// `-` means `+`.
fn planted(op: BinOp) -> BinOp {
    if op == BinOp::Sub { BinOp::Add } else { op }
}

fn subtracts(e: &Expr) -> bool {
    e.op == Op::Bin(BinOp::Sub) || e.args.iter().any(subtracts)
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
    assert!(small.outputs.iter().any(subtracts), "{text}");
    assert!(small.nodes() <= 16 && small.nodes() < kernel.nodes() && small.threads == 1, "{}\n{text}", small.nodes());
}

fn names(e: &Expr, out: &mut BTreeSet<String>) {
    match &e.op {
        Op::Call(name) | Op::Method(name) | Op::Updates(name, _) => drop(out.insert((*name).to_string())),
        Op::Un(op) => drop(out.insert(format!("{op:?}"))),
        Op::Bin(op) => drop(out.insert(format!("{op:?}"))),
        Op::Match => drop(out.insert("a match".into())),
        Op::InPlace(..) => drop(out.insert("in place".into())),
        Op::Helper(_) => drop(out.insert("a helper".into())),
        Op::Name(_) => drop(out.insert("a name".into())),
        Op::Apply(_) => drop(out.insert("a parameter".into())),
        Op::For(..) if matches!(e.args[0].op, Op::Size(_)) => drop(out.insert("unrolled".into())),
        Op::For(..) => drop(out.insert("for".into())),
        _ => {}
    }
    e.args.iter().for_each(|a| names(a, out));
}

/// What the test above would be worth little without.
#[test]
fn the_generator_makes_use_of_all_it_knows() {
    let mut found = BTreeSet::new();
    for kernel in (SEED..SEED + COUNT).map(generate::of_seed) {
        kernel.outputs.iter().chain(kernel.helpers.iter().map(|h| &h.body)).for_each(|e| names(e, &mut found));
    }
    let wanted = "map zip_with zip reverse rotate shift_right stencil pad_to unpair append interleave singleton replicate iota \
        take take_last drop halve even_odds evens odds every_nth split_up split_into coalesce concat transpose two ilv vee ilv2 \
        vee2 ix_map mk_pull push load compute force compute_padded compute_lanes reduce red1 red2 reduce_lanes scan_lanes \
        scan_kogge_stone scan_kogge_stone_push scan_brent_kung scan_sklansky1 scan_sklansky2 scan_sklansky3 sort_tree tsort2 \
        sort_periodic vsort2 sort_bitonic sort_odd_even power s_map_accum seq_fold seq_while seq_reduce foldl seq_map seq_scan \
        seq_scan_cin scanl map_accum_l map_accum_r as_thread_map as_warp_map as_block_map as_grid_map exec_thread exec_warp \
        exec_block atomic_add atomic_sub atomic_min atomic_max atomic_and atomic_or atomic_xor mul_add clamp rotate_left \
        rotate_right wrapping_shl wrapping_shr swap_bytes signum is_nan recip unrolled for Add Sub Mul Div Rem And Or Xor Shl \
        Shr Min Max Eq Ne Lt Le Gt Ge Neg Not Abs Sqrt Floor Ceil Trunc CountOnes LeadingZeros TrailingZeros ReverseBits";
    let missing: Vec<&str> = wanted.split_whitespace().filter(|name| !found.contains(*name)).collect();
    assert!(missing.is_empty(), "never made: {missing:?}");
    for kind in ["a match", "in place", "a helper", "a name", "a parameter"] {
        assert!(found.contains(kind), "never made: {kind}");
    }
}

#[test]
fn kernels_that_were_kept_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kept");
    let files = std::fs::read_dir(folder).expect("the folder of kept kernels");
    let mut count = 0;
    for path in files.map(|file| file.expect("a file").path()) {
        let text = std::fs::read_to_string(&path).expect("a text");
        keep::check(&text).unwrap_or_else(|what| panic!("{}: {what}", path.display()));
        count += 1;
    }
    assert!(count > 0);
}
