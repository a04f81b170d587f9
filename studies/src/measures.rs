//! What the tuner does on the spaces that are recorded: how much is pruned and whether the best is lost, how soon each searcher is near the
//! best, whether tunings agree, how few variants are good everywhere. No clock: times are those of the files.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use obsidian_lang::driver::Variant;
use obsidian_runtime::wisdom::{Found, Wisdom};
use obsidian_runtime::{Device, Limits};
use obsidian_tune::cover::{Times, cover};
use obsidian_tune::launch::row;
use obsidian_tune::prune::Target;
use obsidian_tune::random::Random;
use obsidian_tune::rounds::{PASSES, ROUNDS, runoff};
use obsidian_tune::search::{Genetic, Greedy, Searcher, Spent, Trial, Uniform};
use obsidian_tune::session::{Candidates, SAMPLES, finalists};
use obsidian_tune::source::Kernel;
use obsidian_tune::space::Space;
use obsidian_tune::statistics::least_of;

use crate::recorded::{On, Recording, SPACES, Subject};

/// Seeds of each searcher.
const SEEDS: u64 = 100;
/// Tunings that are repeated.
const TUNINGS: u64 = 20;
/// A point is near the best where the best takes at least this part of its time.
const NEAR: f64 = 0.95;

/// The measures of a space.
#[derive(Debug, Clone)]
pub struct Measures {
    /// Which.
    pub subject: Subject,
    /// Its times.
    pub recording: Recording,
    /// Points.
    pub points: usize,
    /// Of these, pruned.
    pub pruned: usize,
    /// The best time of those that are kept over the best of all.
    pub lost: f64,
    /// Evaluations until a point near the best is found, of 100 seeds the median, by searcher; the whole of what is kept is open.
    pub evaluations: Vec<(&'static str, usize)>,
    /// How often each verdict came of 20 tunings.
    pub verdicts: BTreeMap<&'static str, u32>,
}

/// A kernel's recordings, of all devices and lengths.
#[derive(Debug, Clone)]
pub struct Shipped {
    /// The study.
    pub study: &'static str,
    /// Recordings.
    pub recordings: usize,
    /// The variants that suffice.
    pub variants: Vec<String>,
    /// The worst time of what is chosen over the best.
    pub worst: f64,
}

/// The limits of the GPU that spaces were recorded on, an H100.
fn gpu() -> Limits {
    let mut limits = Device::cpu().limits();
    (limits.memory, limits.compute_units) = (Some(80 << 30), 132);
    (limits.threads, limits.shared_bytes) = (Some(1024), Some(227 * 1024));
    limits
}

/// The measures of all spaces, and what would be shipped.
///
/// # Errors
/// A file is not there, or it is not about the kernel as it is.
pub fn all() -> Result<(Vec<Measures>, Vec<Shipped>), String> {
    let mut kernels: BTreeMap<&str, Kernel> = BTreeMap::new();
    let mut found = Vec::new();
    for subject in SPACES {
        if !kernels.contains_key(subject.study) {
            kernels.insert(subject.study, subject.compiled()?.1);
        }
        found.push(of(&subject, &kernels[subject.study])?);
    }
    let shipped = kernels.keys().filter_map(|study| shipped(study, &found)).collect();
    Ok((found, shipped))
}

fn of(subject: &Subject, kernel: &Kernel) -> Result<Measures, String> {
    let recording = subject.read()?;
    let variants: Vec<&Variant> = kernel.variants().collect();
    let problem = subject.problem()?;
    let target = match subject.on {
        On::Cpu => Target::Cpu,
        On::Pocl | On::Intel => Target::Groups(Device::cpu().limits()),
        On::Cuda => Target::Gpu(gpu(), &problem),
    };
    let candidates = Candidates::new(&variants, target);
    if candidates.names().iter().ne(recording.points.iter().map(|point| &point.variant)) {
        return Err(format!("{}: it is not of these variants: `cargo xtask record {0}`", subject.name()));
    }
    let kept: Vec<usize> = (0..variants.len()).filter(|&i| candidates.pruned()[i].is_none()).collect();
    let (space, times) =
        (candidates.space(&kept), kept.iter().map(|&i| recording.points[i].seconds()).collect::<Vec<_>>());
    let searchers: [&dyn Searcher; 3] = [&Uniform, &Greedy, &Genetic];
    Ok(Measures {
        subject: *subject,
        points: variants.len(),
        pruned: variants.len() - kept.len(),
        lost: lost(&recording, &kept),
        evaluations: searchers.iter().map(|s| (s.name(), evaluations(*s, &space, &times))).collect(),
        verdicts: verdicts(&recording, &kept),
        recording,
    })
}

fn lost(recording: &Recording, kept: &[usize]) -> f64 {
    let least = |places: &mut dyn Iterator<Item = usize>| {
        places.map(|point| recording.points[point].seconds()).fold(f64::INFINITY, f64::min)
    };
    least(&mut kept.iter().copied()) / least(&mut (0..recording.points.len()))
}

/// Evaluations until a point near the best is found, of all seeds the median.
pub fn evaluations(searcher: &dyn Searcher, space: &Space, times: &[f64]) -> usize {
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let one = |seed: u64| {
        let (mut count, mut found) = (0, None);
        let mut measure = |point: usize| {
            count += 1;
            if times[point] * NEAR <= least {
                found = Some(count);
                return Err(Spent);
            }
            Ok(times[point])
        };
        let _ = searcher.search(space, &mut Random::new(seed), &mut Trial::new(&mut measure));
        found.unwrap_or(usize::MAX)
    };
    let mut all: Vec<usize> = (0..SEEDS).map(one).collect();
    all.sort_unstable();
    all[all.len() / 2]
}

/// Tunings as they might have been: each sample is that of a recorded round, the same for all variants of a pass.
fn verdicts(recording: &Recording, kept: &[usize]) -> BTreeMap<&'static str, u32> {
    let seconds = |point: usize, round: usize| {
        let rounds = recording.points[point].rounds.as_deref().unwrap_or_default();
        rounds.get(round % rounds.len().max(1)).map(|ns| *ns as f64 * 1e-9)
    };
    let mut verdicts = BTreeMap::new();
    for seed in 0..TUNINGS {
        let mut random = Random::new(seed);
        let mut rounds = || random.bits() as usize >> 8;
        let searched: [usize; SAMPLES] = std::array::from_fn(|_| rounds());
        let met: Vec<usize> = (0..ROUNDS * PASSES).map(|_| rounds()).collect();
        let time = |point: usize| least_of(&searched.map(|round| seconds(point, round).unwrap_or(f64::INFINITY)));
        let mut found: Vec<(usize, f64)> = kept.iter().map(|&point| (point, time(point))).collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        let outcome =
            runoff(&finalists(&found), ROUNDS, &mut Random::new(seed), &mut |point, pass| seconds(point, met[pass]));
        *verdicts.entry(outcome.map_or("none", |outcome| outcome.verdict.name())).or_default() += 1;
    }
    verdicts
}

/// Choices whose time is taken.
const CHOICES: u32 = 1_000_000;

/// Nanoseconds of a choice among a kernel's variants by wisdom of twelve lengths, on this machine.
///
/// # Errors
/// The folder cannot be written.
pub fn choice(folder: &Path) -> Result<f64, String> {
    let (_, kernel) = SPACES[0].compiled()?;
    let first = kernel.variants().next().ok_or("a kernel without variants")?;
    let (info, device) = (row::of_texts(&kernel.name, first, Vec::new()), Device::cpu());
    let kernel = obsidian_runtime::Kernel::new(info);
    let (programs, names): (Vec<&str>, Vec<String>) = kernel.variants().map(|v| (v.ir(), v.to_string())).unzip();
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    for power in 10..22 {
        let mut found = Found::new(kernel.name(), &programs, &names, &device);
        (found.len, found.chosen) = (1 << power, names[0].clone());
        std::fs::write(folder.join(format!("{power}.wisdom")), found.text()).map_err(|e| e.to_string())?;
    }
    let known = Wisdom::read(folder).of(&kernel, &device);
    if let Some(refused) = known.refused().first() {
        return Err(refused.to_string());
    }
    let start = Instant::now();
    for i in 0..CHOICES {
        black_box(known.choose(black_box(u64::from(i) << 2)));
    }
    Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(CHOICES))
}

fn shipped(study: &&'static str, all: &[Measures]) -> Option<Shipped> {
    let own = all.iter().filter(|measures| measures.subject.study == *study);
    let times = |measures: &Measures| {
        let valid = measures.recording.points.iter().filter(|point| point.rounds.is_ok());
        Times {
            label: measures.subject.name(),
            seconds: valid.map(|point| (point.variant.clone(), point.seconds())).collect(),
            chosen: None,
        }
    };
    let times: Vec<Times> = own.map(times).collect();
    let found = cover(&times, 1.10, 5)?;
    let worst = found.table.iter().map(|(_, _, ratio)| *ratio).fold(1.0, f64::max);
    Some(Shipped { study, recordings: times.len(), variants: found.variants, worst })
}

/// The table for the guide.
pub fn page(all: &[Measures], shipped: &[Shipped]) -> String {
    let mut text = String::from(
        "# The tuner, measured

<!-- Rendered by `cargo xtask study measures --bless` -->

Every point of these spaces was measured, also those that a tuning leaves out (`cargo xtask record`, files in `studies/recorded`); the
tuner is then tried on the times of the files, so that the table is the same on every machine. A point's time is the least of its rounds.

*Lost*: the best time of the variants that are kept over the best of all, of which many are the same code. *Random*, *greedy*, *genetic*: evaluations of the variants that are kept until one is found of whose time the best
takes at least 95 %, of 100 seeds the median. *Verdicts*: of 20 tunings whose samples are drawn from the recorded rounds.

| space | device | recorded | points | pruned | lost | random | greedy | genetic | verdicts |
|---|---|---|---:|---:|---:|---:|---:|---:|---|
",
    );
    for m in all {
        let count = |name: &str| m.evaluations.iter().find(|(own, _)| *own == name).map_or(0, |(_, count)| *count);
        let verdicts: Vec<String> = m.verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        text += &format!(
            "| `{}` | {} | {} | {} | {} % | {:.3} | {} | {} | {} | {} |\n",
            m.subject.name(),
            m.recording.device,
            m.recording.date,
            m.points,
            100 * m.pruned / m.points,
            m.lost,
            count("random"),
            count("greedy"),
            count("genetic"),
            verdicts.join(", ")
        );
    }
    text += "\nOf each kernel the fewest variants, at most five, of which one takes at most 1.10 times as long as the best on each device and for each
length that is recorded:

| study | recordings | variants | at worst |
|---|---:|---|---:|
";
    for s in shipped {
        let variants: Vec<String> = s.variants.iter().map(|v| format!("`{v}`")).collect();
        text += &format!("| {} | {} | {} | {:.3} |\n", s.study, s.recordings, variants.join("; "), s.worst);
    }
    text
}
