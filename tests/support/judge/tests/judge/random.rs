//! Random kernels: none that the compiler accepts is refuted.

use std::collections::BTreeMap;

use obsidian_fuzz::{generate, print};
use obsidian_judge::Verdict;

use crate::court::{self, Case};
use crate::programs;

/// The first seed.
const SEED: u64 = 20_261_122;
/// How many, unless `OBSIDIAN_JUDGE_COUNT` says otherwise.
const COUNT: u64 = 60;

fn case(seed: u64) -> Vec<Case> {
    let text = print::kernel(&generate::of_seed(seed), "k");
    let tokens = text.parse().unwrap_or_else(|e| panic!("{e}:\n{text}"));
    // What is refused before the proofs is no kernel for the judge.
    let cases = court::cases(tokens).unwrap_or_default();
    cases.into_iter().map(|c| Case { name: format!("seed {seed}"), ..c }).collect()
}

#[test]
fn nothing_is_wrong_with_random_kernels() {
    let Some(solver) = court::solver() else { return };
    let count = std::env::var("OBSIDIAN_JUDGE_COUNT").ok().and_then(|n| n.parse().ok()).unwrap_or(COUNT);
    let seeds: Vec<u64> = (SEED..SEED + count).collect();
    let all = court::judged_of(&solver, &seeds, |&seed| case(seed));
    let mut tally: BTreeMap<(bool, Verdict), usize> = BTreeMap::new();
    for judged in &all {
        let (refused, verdict) = (judged.case.refused.is_some(), judged.report().verdict());
        *tally.entry((refused, verdict)).or_default() += 1;
        if verdict == Verdict::Unknown {
            println!("{}: {:?}", judged.case.name, judged.report().unknown);
        }
        if verdict == Verdict::Refuted {
            println!("{}: {:?}, the compiler: {:?}", judged.case.name, judged.report().findings, judged.case.refused);
        }
    }
    for ((refused, verdict), count) in &tally {
        println!("{count} {verdict:?}, {}", if *refused { "refused by the compiler" } else { "accepted" });
    }
    programs::check(&all);
    assert!(all.len() as u64 > count * 9 / 10, "{} of {count} kernels are judged", all.len());
}
