//! Random kernels, as they are written and in machine form: none that the compiler accepts is refuted.

use std::collections::BTreeMap;

use obsidian_fuzz::{generate, print};
use obsidian_judge::Verdict;

use crate::court::{self, Case, Form};
use crate::programs;

/// The first seed.
const SEED: u64 = 20_261_122;
/// How many, unless `OBSIDIAN_JUDGE_COUNT` says otherwise.
const COUNT: u64 = 60;
/// Threads of a block: a part of a warp, whole warps and others, of which a kernel in machine form gets one.
const THREADS: [u32; 5] = [64, 32, 7, 100, 256];

fn cases(seed: u64) -> Vec<Case> {
    let text = print::kernel(&generate::of_seed(seed), "k");
    let tokens = || text.parse().unwrap_or_else(|e| panic!("{e}:\n{text}"));
    // What is refused before the proofs is no kernel for the judge.
    let mut cases = court::cases_as_launched(tokens()).unwrap_or_default();
    let threads = THREADS[(seed % THREADS.len() as u64) as usize];
    cases.extend(court::machine_cases(tokens(), Some(threads)).unwrap_or_default());
    cases.into_iter().map(|c| Case { name: format!("seed {seed}, {:?}", c.form), ..c }).collect()
}

#[test]
fn nothing_is_wrong_with_random_kernels() {
    let Some(solver) = court::solver() else { return };
    let count = std::env::var("OBSIDIAN_JUDGE_COUNT").ok().and_then(|n| n.parse().ok()).unwrap_or(COUNT);
    let seeds: Vec<u64> = (SEED..SEED + count).collect();
    let all = court::judged_of(&solver, &seeds, |&seed| cases(seed));
    let mut tally: BTreeMap<(&str, &str, Verdict), usize> = BTreeMap::new();
    for judged in &all {
        let verdict = judged.report().verdict();
        let refused = if judged.case.refused.is_some() { "refused by the compiler" } else { "accepted" };
        let form = if judged.case.form == Form::Machine { "in machine form" } else { "as written" };
        *tally.entry((form, refused, verdict)).or_default() += 1;
        if verdict == Verdict::Unknown {
            println!("{}: {:?}", judged.case.name, judged.report().unknown);
        }
        if verdict == Verdict::Refuted {
            println!("{}: {:?}, the compiler: {:?}", judged.case.name, judged.report().findings, judged.case.refused);
        }
    }
    for ((form, refused, verdict), count) in &tally {
        println!("{count} {verdict:?}, {form}, {refused}");
    }
    programs::check(&all);
    for form in [Form::Structured, Form::Machine] {
        let judged = all.iter().filter(|j| j.case.form == form).count() as u64;
        assert!(judged > count * 9 / 10, "{judged} of {count} kernels are judged, {form:?}");
    }
}
