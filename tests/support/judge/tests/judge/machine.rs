//! Programs in machine form: real threads, with the barriers that were placed and the places in shared memory that were laid
//! out. A small one is right, and wrong after each of several changes.

use obsidian_judge::{Fault, Verdict};
use obsidian_sources as sources;

use crate::court::{self, Case, Form};

/// The kernels of `programs`.
pub fn every_program() -> Vec<Case> {
    let each = sources::kernels(|_| true).into_iter();
    each.flat_map(|tokens| court::machine_cases(tokens, None).expect("compiles")).collect()
}

/// A block turns 64 elements around, then each two of them; blocks take turns.
const BY_BLOCKS: &str = "\
kernel turned (threads = 64, shared = 512 B)
  in  xs: u32[len(xs)]
  out out: u32[(len(xs) / 64) * 64]
  seq b0 in block..len(xs) / 64 by blocks
    shared per Block s1: u32[64] at 0
    let i1 = tid
    s1[i1] = xs[(b0 * 64) + i1]
    sync Block   // of all
    shared per Block s2: u32[64] at 256
    s2[i1] = s1[63 - i1]
    sync Warp
    out[(b0 * 64) + i1] = s2[i1 ^ 1]
    sync Block   // of a round
";

/// Changes of it that are right.
const STILL_RIGHT: [(&str, &str); 4] = [
    ("sync Warp", "sync Block"),
    ("at 256", "at 512"),
    ("    sync Warp", "    if b0 < len(xs)\n      sync Warp"),
    ("    s1[i1] =", "    let a, b = xs[(b0 * 64) + ((i1 >> 1) * 2) ..]\n    s1[i1] ="),
];

/// Those that are wrong.
const WRONG: [(&str, &str, Fault); 12] = [
    ("    sync Block   // of all\n", "", Fault::Race),
    ("sync Block   // of all", "sync Warp", Fault::Race),
    ("    sync Warp\n", "", Fault::Race),
    // The next round writes what is still read.
    ("    sync Block   // of a round\n", "", Fault::Race),
    ("at 256", "at 0", Fault::Race),
    ("at 256", "at 250", Fault::Race),
    ("s2: u32[64] at 256", "s2: u64[64] at 128", Fault::Race),
    ("out[(b0 * 64) + i1]", "out[(b0 * 32) + i1]", Fault::Race),
    ("    sync Block   // of all", "    if len(xs) > 64\n      sync Block", Fault::Race),
    ("    sync Warp", "    if lane < 31\n      sync Warp", Fault::Divergence),
    ("63 - i1", "64 - i1", Fault::OutOfBounds),
    ("    s1[i1] =", "    let a, b = xs[(b0 * 64) + (i1 >> 1) ..]\n    s1[i1] =", Fault::Misaligned),
];

/// Three warps' work on two of them, each with a copy of an array.
const BY_WARPS: &str = "\
kernel turned (threads = 64, shared = 256 B)
  in  xs: u32[len(xs)]
  out out: u32[(len(xs) / 96) * 96]
  seq b0 in block..len(xs) / 96 by blocks
    seq w1 in warp..3 by 2
      shared per Warp s1: u32[32] at 0
      s1[(warp * 32) + lane] = xs[(b0 * 96) + ((w1 * 32) + lane)]
      sync Warp   // of all
      out[(b0 * 96) + ((w1 * 32) + lane)] = s1[(warp * 32) + (31 - lane)]
      sync Warp   // of a round
";

const WRONG_BY_WARPS: [(&str, &str, Fault); 5] = [
    ("      sync Warp   // of all\n", "", Fault::Race),
    ("      sync Warp   // of a round\n", "", Fault::Race),
    ("s1[(warp * 32) + (31 - lane)]", "s1[31 - lane]", Fault::Race),
    ("(warp * 32) + lane]", "(w1 * 32) + lane]", Fault::OutOfBounds),
    // Only one warp comes to the last round.
    ("sync Warp   // of all", "sync Block", Fault::Divergence),
];

fn case(text: &str) -> Case {
    let steps = court::STEPS_OF_MACHINE;
    Case { name: "turned".into(), text: text.into(), refused: None, form: Form::Machine, steps }
}

fn changed(text: &str, from: &str, to: &str) -> Case {
    assert!(text.contains(from), "{from}");
    case(&text.replacen(from, to, 1))
}

#[test]
fn machine_forms_that_are_right_are_proved() {
    let Some(solver) = court::solver() else { return };
    let mut cases = vec![case(BY_BLOCKS), case(BY_WARPS)];
    cases.extend(STILL_RIGHT.iter().map(|(from, to)| changed(BY_BLOCKS, from, to)));
    for judged in court::judged(&solver, cases) {
        assert_eq!(judged.report().verdict(), Verdict::Proved, "{:#?}\n{}", judged.report(), judged.case.text);
    }
}

#[test]
fn machine_forms_that_are_wrong_are_refuted() {
    let Some(solver) = court::solver() else { return };
    let blocks = WRONG.iter().map(|(from, to, fault)| (changed(BY_BLOCKS, from, to), *fault));
    let warps = WRONG_BY_WARPS.iter().map(|(from, to, fault)| (changed(BY_WARPS, from, to), *fault));
    let (cases, faults): (Vec<Case>, Vec<Fault>) = blocks.chain(warps).unzip();
    for (judged, fault) in court::judged(&solver, cases).iter().zip(faults) {
        let report = judged.report();
        assert!(report.contradictions.is_empty(), "{report:#?}\n{}", judged.case.text);
        let found: Vec<Fault> = report.findings.iter().map(|f| f.fault).collect();
        assert_eq!(found, [fault], "{report:#?}\n{}", judged.case.text);
    }
}
