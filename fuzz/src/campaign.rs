//! Many kernels on all cores: counts, and what is wrong with the first of them, made small.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::check::{self, Verdict, Who, Wrong};
use crate::{generate, keep, print, shrink};

/// What came of many kernels.
#[derive(Debug, Default)]
pub struct Report {
    /// Kernels about which everybody agrees.
    pub same: u64,
    /// The seeds of those that the compiler refuses, by its code.
    pub refused: BTreeMap<&'static str, Vec<u64>>,
    /// What is wrong, by seed.
    pub wrong: BTreeMap<u64, Wrong>,
}

/// Runs the kernels of these seeds.
pub fn run(seeds: Range<u64>) -> Report {
    let (next, report) = (AtomicU64::new(seeds.start), Mutex::new(Report::default()));
    let worker = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let verdict = check::check(&generate::of_seed(seed));
            let mut report = report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match verdict {
                Verdict::Same => report.same += 1,
                Verdict::Refused(code) => report.refused.entry(code).or_default().push(seed),
                Verdict::Wrong(wrong) => drop(report.wrong.insert(seed, wrong)),
            }
        }
    };
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(worker);
        }
    });
    report.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Report {
    /// How many kernels were refused.
    pub fn refusals(&self) -> u64 {
        self.refused.values().map(|seeds| seeds.len() as u64).sum()
    }

    /// Counts, with a few seeds of each kind of refusal.
    pub fn text(&self) -> String {
        let few = |seeds: &Vec<u64>| seeds.iter().take(5).map(u64::to_string).collect::<Vec<_>>().join(", ");
        let mut text = format!("{} agree, {} refused, {} wrong\n", self.same, self.refusals(), self.wrong.len());
        for (code, seeds) in &self.refused {
            text += &format!("  {code}: {}, seeds {} ..\n", seeds.len(), few(seeds));
        }
        text
    }
}

/// A seed whose kernel is wrong, in full: the fault, the smallest kernel found that shows it with its arguments and what
/// is expected, and how to see it again.
pub fn told(seed: u64, wrong: &Wrong) -> String {
    let kernel = generate::of_seed(seed);
    let again = format!("cargo xtask fuzz --count 1 --seed {seed}");
    if wrong.who == Who::Generator {
        return format!("seed {seed}: {wrong}\n{}\nagain: {again}\n", print::kernel(&kernel, "k"));
    }
    let small = shrink::of_check(&kernel, wrong.who);
    let now = match check::check(&small) {
        Verdict::Wrong(wrong) => wrong.to_string(),
        other => format!("{other:?}"),
    };
    let file = keep::file(&small).unwrap_or_default();
    format!("seed {seed}: {wrong}\nsmallest kernel found: {now}\n{file}\nagain: {again}\n")
}
