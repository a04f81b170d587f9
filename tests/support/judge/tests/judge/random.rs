//! Random kernels, as they are written and in machine form: none that the compiler accepts is refuted.

use obsidian_fuzz::{generate, print};

use crate::court::{self, Case, Form};

/// The first seed.
const SEED: u64 = 20_261_122;
/// How many, unless `OBSIDIAN_JUDGE_COUNT` says otherwise.
const COUNT: u64 = 2000;
/// Threads of a block: a part of a warp, whole warps and others, of which a kernel in machine form gets one.
const THREADS: [u32; 5] = [64, 32, 7, 100, 256];

/// Kernels of as many seeds as are asked for.
pub struct Kernels {
    count: u64,
}

impl Kernels {
    /// Those of the record, or of `OBSIDIAN_JUDGE_COUNT` seeds.
    pub fn asked_for() -> Kernels {
        let count = std::env::var("OBSIDIAN_JUDGE_COUNT").ok().and_then(|n| n.parse().ok());
        Kernels { count: count.unwrap_or(COUNT) }
    }

    /// Whether they are those of the record.
    pub fn are_recorded(&self) -> bool {
        self.count == COUNT
    }

    /// The kernels as they are written, and those that are accepted in machine form.
    pub fn cases(&self) -> (Vec<Case>, Vec<Case>) {
        let seeds: Vec<u64> = (SEED..SEED + self.count).collect();
        let cases = court::each(&seeds, |&seed| cases(seed)).into_iter().flatten();
        let (written, in_machine_form): (Vec<_>, Vec<_>) = cases.partition(|c| c.form == Form::Structured);
        for cases in [&written, &in_machine_form] {
            let judged = cases.len() as u64;
            assert!(judged > self.count * 9 / 10, "{judged} of {} kernels are judged", self.count);
        }
        (written, in_machine_form)
    }
}

fn cases(seed: u64) -> Vec<Case> {
    let text = print::kernel(&generate::of_seed(seed), "k");
    let tokens = || text.parse().unwrap_or_else(|e| panic!("{e}:\n{text}"));
    // What is refused before the proofs is no kernel for the judge.
    let mut cases = court::cases_as_launched(tokens()).unwrap_or_default();
    let threads = THREADS[(seed % THREADS.len() as u64) as usize];
    cases.extend(court::machine_cases(tokens(), Some(threads)).unwrap_or_default());
    cases.into_iter().map(|c| Case { name: format!("seed {seed}, {:?}", c.form), ..c }).collect()
}
