//! Many kernels on all cores: counts, and what is wrong with the first of them, made small.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ast::Kernel;
use crate::check::{self, Verdict, Who, Wrong};
use crate::lengths::{self, Launches};
use crate::{keep, print, shrink};

/// What came of many kernels.
#[derive(Debug, Default)]
pub struct Report {
    /// Kernels on which all agree.
    pub same: u64,
    /// The seeds of those that the compiler refuses, by its code.
    pub refused: BTreeMap<&'static str, Vec<u64>>,
    /// The seeds of those that a device cannot run, by the reason.
    pub unable: BTreeMap<String, Vec<u64>>,
    /// What is wrong, by seed.
    pub wrong: BTreeMap<u64, Wrong>,
}

/// Runs the kernels that `make` makes of these seeds through both interpreters.
pub fn run(seeds: Range<u64>, make: fn(u64) -> Kernel) -> Report {
    let mut report = Report::default();
    on_all_cores(seeds, |seed| check::check(&make(seed)), |seed, verdict| report.add(seed, verdict));
    report
}

/// What the compiler says of those of these kernels that it refuses, by seed.
pub fn refusals(seeds: Range<u64>, make: fn(u64) -> Kernel) -> BTreeMap<u64, Vec<String>> {
    let mut refused = BTreeMap::new();
    on_all_cores(seeds, |seed| check::refusal(&make(seed)), |seed, said| drop(refused.insert(seed, said)));
    refused.retain(|_, said: &mut Vec<String>| !said.is_empty());
    refused
}

/// Launches the kernels of these seeds at other lengths; by seed, what those say that are refused in vain.
pub fn at_other_lengths(seeds: Range<u64>, make: fn(u64) -> Kernel) -> (Launches, BTreeMap<u64, Vec<String>>) {
    let (mut all, mut in_vain) = (Launches::default(), BTreeMap::new());
    on_all_cores(
        seeds,
        |seed| lengths::check(&make(seed)),
        |seed, (launches, told)| {
            all += launches;
            in_vain.insert(seed, told);
        },
    );
    in_vain.retain(|_, told: &mut Vec<String>| !told.is_empty());
    (all, in_vain)
}

/// Does `work` for each seed, and `take`s what comes of it.
fn on_all_cores<R>(seeds: Range<u64>, work: impl Fn(u64) -> R + Sync, take: impl FnMut(u64, R) + Send) {
    let (next, take) = (AtomicU64::new(seeds.start), Mutex::new(take));
    let worker = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let result = work(seed);
            (*take.lock().unwrap_or_else(std::sync::PoisonError::into_inner))(seed, result);
        }
    };
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(worker);
        }
    });
}

impl Report {
    /// Notes what came of a kernel.
    pub fn add(&mut self, seed: u64, verdict: Verdict) {
        match verdict {
            Verdict::Unable(why) => self.unable.entry(why).or_default().push(seed),
            Verdict::Same => self.same += 1,
            Verdict::Refused(code) => self.refused.entry(code).or_default().push(seed),
            Verdict::Wrong(wrong) => drop(self.wrong.insert(seed, wrong)),
        }
    }

    /// How many kernels were refused.
    pub fn refusals(&self) -> u64 {
        self.refused.values().map(|seeds| seeds.len() as u64).sum()
    }

    /// How many kernels a device could not run.
    pub fn not_run(&self) -> u64 {
        self.unable.values().map(|seeds| seeds.len() as u64).sum()
    }

    /// Counts, with a few seeds of each kind of refusal.
    pub fn text(&self) -> String {
        let few = |seeds: &Vec<u64>| seeds.iter().take(5).map(u64::to_string).collect::<Vec<_>>().join(", ");
        let not_run = if self.unable.is_empty() { String::new() } else { format!(", {} not run", self.not_run()) };
        let (refused, wrong) = (self.refusals(), self.wrong.len());
        let mut text = format!("{} agree, {refused} refused{not_run}, {wrong} wrong\n", self.same);
        let refused = self.refused.iter().map(|(code, seeds)| (*code, seeds));
        for (why, seeds) in refused.chain(self.unable.iter().map(|(why, seeds)| (why.as_str(), seeds))) {
            text += &format!("  {why}: {}, seeds {} ..\n", seeds.len(), few(seeds));
        }
        text
    }
}

/// A kernel that is wrong, in full: the fault, the smallest kernel found that shows it with its arguments and what is
/// expected, and the command that shows it again.
pub fn report(kernel: &Kernel, wrong: &Wrong, again: &str, check: impl Fn(&Kernel) -> Verdict) -> String {
    let seed = kernel.data_seed;
    if wrong.who == Who::Generator {
        return format!("seed {seed}: {wrong}\n{}\nagain: {again}\n", print::kernel(kernel, "k"));
    }
    let small = shrink::shrink_wrong(kernel, wrong.who, &check);
    let now = match check(&small) {
        Verdict::Wrong(wrong) => wrong.to_string(),
        other => format!("{other:?}"),
    };
    let file = keep::file(&small).unwrap_or_default();
    format!("seed {seed}: {wrong}\nsmallest kernel found: {now}\n{file}\nagain: {again}\n")
}

/// [`report`] for a fault that the interpreters show.
pub fn report_by_interpreters(kernel: &Kernel, wrong: &Wrong) -> String {
    let task = if kernel.launches() { " --launches" } else { "" };
    let again = format!("cargo xtask fuzz --count 1 --seed {}{task}", kernel.data_seed);
    report(kernel, wrong, &again, check::check)
}
