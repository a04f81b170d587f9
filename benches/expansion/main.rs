//! How long the macro takes to expand kernels where the compiler is built as in a user's dev build (unoptimised), and how
//! much memory: the paper's reductions, a scan of 4096 elements, a sorter of 512 in 45 phases.
//! Then how long the proofs of the programs of `programs` take, the slowest of all.
//! `cargo bench -p obsidian-benches --bench expansion` builds with optimisation, so the program then runs itself again in the dev profile,
//! and once more with the compiler optimised as by the lines that the README gives for `[profile.dev.build-override]`;
//! `cargo bench -p obsidian-benches --profile dev --bench expansion` is the first of these alone; `cargo xtask bench instructions` counts
//! the instructions of the same kernels, which a busy machine does not change. Prints the first time, the median and the worst; the peak of memory is the process's so far.

use std::error::Error;
use std::process::Command;
use std::time::{Duration, Instant};

use obsidian_ir::passes;
use obsidian_lang::{driver, expand, syntax::SpanTable};
use obsidian_sources as sources;
use proc_macro2::TokenStream;

const RUNS: usize = 25;

/// JFP 2016 §6.3.1.
const SKLANSKY: &str = include_str!("sklansky.obs");

/// The same, each thread writing two elements.
const SKLANSKY_PUSH: &str = include_str!("sklansky_push.obs");

/// DAMP 2012 §3.
const PERIODIC: &str = include_str!("periodic.obs");

/// The same, each thread writing two elements.
const PERIODIC_PUSH: &str = include_str!("periodic_push.obs");

/// The first kernel of docs/src/reference.md, §1.
const REDUCTIONS: &str = include_str!("reductions.obs");

fn main() -> Result<(), Box<dyn Error>> {
    if cfg!(debug_assertions) { measure() } else { again_in_dev_profile() }
}

/// All that `kernel!` does but the exchange of tokens with rustc.
fn expand(source: TokenStream) -> Result<TokenStream, Box<dyn Error>> {
    let compiled = driver::compile(source, &mut SpanTable::default())
        .map_err(|errors| format!("it does not compile: {errors:?}"))?;
    Ok(compiled.iter().map(expand::item).collect())
}

fn measure() -> Result<(), Box<dyn Error>> {
    println!("expansion, dev profile, {RUNS} runs");
    let kernels = [
        ("`reductions` of 512", REDUCTIONS),
        ("Sklansky's scan of 4096", SKLANSKY),
        ("the same, push", SKLANSKY_PUSH),
        ("periodic sorter of 512", PERIODIC),
        ("the same, push", PERIODIC_PUSH),
    ];
    for (name, text) in kernels {
        let source: TokenStream = text.parse()?;
        let mut times = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let start = Instant::now();
            std::hint::black_box(expand(source.clone())?);
            times.push(start.elapsed());
        }
        let first = times[0];
        times.sort_unstable();
        let [median, worst] = [times[RUNS / 2], times[RUNS - 1]];
        let memory = peak_memory().map_or_else(String::new, |mib| format!(", peak {mib:.0} MiB"));
        println!(
            "{name:24} first {:8.2} ms, median {:8.2} ms, worst {:8.2} ms{memory}",
            ms(first),
            ms(median),
            ms(worst)
        );
    }
    proofs()
}

/// How many of the programs are printed.
const SLOWEST: usize = 5;

/// The time that proving each program takes: bounds; races, and that all is written.
fn proofs() -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    for source in sources::kernels(|_| true) {
        let evaluated = driver::stop_after(driver::Stage::Evaluated, source, &mut SpanTable::default())
            .map_err(|errors| format!("it does not compile: {errors:?}"))?;
        for program in evaluated.into_programs() {
            let (name, start) = (program.name.clone(), Instant::now());
            std::hint::black_box(passes::prove(program).map_err(|e| e.to_string())?);
            times.push((start.elapsed(), name));
        }
    }
    times.sort_unstable();
    println!("proofs of {} programs, the {SLOWEST} slowest", times.len());
    for (time, name) in times.iter().rev().take(SLOWEST) {
        println!("{name:24} {:8.2} ms", ms(*time));
    }
    Ok(())
}

/// The most memory that the process has held, in MiB, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024.0)
}

/// Without the lines of the README for macros, and with them.
const BUILDS: [(&str, &[&str]); 2] = [
    ("the compiler unoptimised", &[]),
    (
        "the compiler optimised, as the README advises",
        &["profile.dev.package.obsidian-ir.opt-level=2", "profile.dev.package.obsidian-lang.opt-level=2"],
    ),
];

fn again_in_dev_profile() -> Result<(), Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for (title, settings) in BUILDS {
        println!("{title}");
        let status = Command::new(&cargo)
            .args(settings.iter().flat_map(|setting| ["--config", setting]))
            .args(["bench", "--quiet", "--profile", "dev", "--bench", "expansion"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()?;
        if !status.success() {
            return Err(format!("the dev build of this bench failed: {status}").into());
        }
    }
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
