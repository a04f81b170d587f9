//! Runs random kernels on devices: `cargo xtask fuzz --devices`. Prints counts, and for the first kernels that show
//! something wrong a small one that shows it too. The work is shared by processes: a driver's faults then end one of them,
//! and a driver that works on one thread does not keep the other cores waiting.

use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

use obsidian_fuzz::ast::Kernel;
use obsidian_fuzz::campaign::{self, Report};
use obsidian_fuzz::coverage::Coverage;
use obsidian_fuzz::{generate, keep};
use obsidian_fuzz_devices::{Checks, Complaints, On};
use obsidian_runtime::Device;

/// Kernels that are compiled together.
const BATCH: u64 = 125;
/// The most kernels that one process shrinks and prints.
const MAX_REPORTED: usize = 3;
/// The percentage of kernels that a device may be unable to run: one in ten divides, which some devices round otherwise.
const NOT_RUN_PERCENT: u64 = 15;
/// The beginning of the line in which a process reports its counts.
const COUNTS: &str = "counts: ";
/// Names the file that Oclgrind writes to. If it is set, the driver checks.
const LOG: &str = "OCLGRIND_LOG";

const HELP: &str = "obsidian-fuzz-devices [--count N] [--seed S] [--on interpreters,cpu,opencl] [--least N] [--launches]: \
                    the kernels of the seeds S to S + N - 1 on these devices, or programs of several launches; at least the \
                    number after --least must run and agree";
/// Asks for programs of several launches.
const LAUNCHES: &str = "--launches";

#[derive(Debug, Clone)]
struct Options {
    count: u64,
    seed: u64,
    least: u64,
    on: String,
    of: Of,
    task: Task,
}

/// What is made of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Kernel,
    /// A program of several launches.
    Launches,
}

impl Of {
    fn make(self) -> fn(u64) -> Kernel {
        match self {
            Of::Kernel => generate::of_seed,
            Of::Launches => generate::of_launches,
        }
    }

    /// The percentage that the compiler may refuse; of a program of several launches each kernel may be, and transposes by a number
    /// of columns that is computed from a length are.
    fn refused_percent(self) -> u64 {
        match self {
            Of::Kernel => 2,
            Of::Launches => 8,
        }
    }

    /// The word by which a command asks for it.
    fn word(self) -> Option<&'static str> {
        (self == Of::Launches).then_some(LAUNCHES)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// Shares the seeds among processes.
    Share,
    /// Runs them.
    Run,
}

fn options() -> Option<Options> {
    let mut options =
        Options { count: 2000, seed: 0, least: 0, on: "interpreters,cpu".into(), of: Of::Kernel, task: Task::Share };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--count" => options.count = args.next()?.parse().ok()?,
            "--seed" => options.seed = args.next()?.parse().ok()?,
            "--least" => options.least = args.next()?.parse().ok()?,
            "--on" => options.on = args.next()?,
            "--run" => options.task = Task::Run,
            LAUNCHES => options.of = Of::Launches,
            _ => return None,
        }
    }
    Some(options)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{HELP}");
        return ExitCode::FAILURE;
    };
    let result = match options.task {
        Task::Share => share(&options),
        Task::Run => run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

/// Starts a process for each core, and adds up what they count.
fn share(options: &Options) -> Result<(), String> {
    let shares = std::thread::available_parallelism().map_or(1, |n| n.get() as u64).min(options.count.max(1));
    let cut = |i: u64| options.seed + options.count * i / shares;
    let children: Vec<Child> = (0..shares).map(|i| started(options, cut(i), cut(i + 1))).collect::<Result<_, _>>()?;
    let (mut counts, mut failed) = ([0u64; 4], Vec::new());
    for child in children {
        let output = child.wait_with_output().map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let told = text.lines().find_map(|line| line.strip_prefix(COUNTS));
        text.lines().filter(|line| !line.starts_with(COUNTS)).for_each(|line| println!("{line}"));
        let numbers = told.unwrap_or_default().split(' ').map(|n| n.parse().unwrap_or(0));
        counts.iter_mut().zip(numbers).for_each(|(sum, n)| *sum += n);
        if !output.status.success() {
            failed.push(output.status.to_string());
        }
    }
    (0..shares).filter_map(|i| log_of(cut(i))).for_each(|log| drop(std::fs::remove_file(log)));
    let [same, refused, not_run, wrong] = counts;
    let kernels = (options.seed..options.seed + options.count).map(options.of.make());
    println!("{}", Coverage::of(kernels));
    println!("{same} agree on {}, {refused} refused, {not_run} not run, {wrong} wrong", options.on);
    if let Some(status) = failed.first() {
        return Err(format!("a process that ran kernels: {status}"));
    }
    let most = |percent: u64| (options.count * percent).div_ceil(100);
    if refused > most(options.of.refused_percent()) || not_run > most(NOT_RUN_PERCENT) || same < options.least {
        return Err("too few kernels have run".into());
    }
    if same + refused + not_run != options.count { Err("kernels are lost".into()) } else { Ok(()) }
}

fn started(options: &Options, from: u64, to: u64) -> Result<Child, String> {
    let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
    command.args(["--run", "--on", &options.on, "--seed", &from.to_string(), "--count", &(to - from).to_string()]);
    command.args(options.of.word());
    if let Some(log) = log_of(from) {
        command.env(LOG, log);
    }
    command.stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())
}

/// Where the driver of the process that begins with a seed writes.
fn log_of(seed: u64) -> Option<PathBuf> {
    let mut log = std::env::var_os(LOG)?;
    log.push(format!("-{seed}"));
    Some(log.into())
}

/// Those that a list names.
fn devices(names: &str) -> Result<Vec<On>, String> {
    let device = |name: &str| match name {
        "interpreters" => Ok(On::Interpreters),
        "cpu" => Ok(On::Cpu),
        "opencl" => {
            let complaints = std::env::var_os(LOG).map_or(Complaints::None, |log| Complaints::In(log.into()));
            Ok(On::OpenCl(Device::opencl(0).map_err(|e| e.to_string())?, complaints))
        }
        other => Err(format!("`{other}` is none of interpreters, cpu, opencl")),
    };
    names.split(',').map(device).collect()
}

fn run(options: &Options) -> Result<(), String> {
    // What is caught is reported below.
    std::panic::set_hook(Box::new(|_| {}));
    let checks = Checks::new(devices(&options.on)?);
    let end = options.seed + options.count;
    let mut report = Report::default();
    for from in (options.seed..end).step_by(BATCH as usize) {
        let seeds: Vec<u64> = (from..end.min(from + BATCH)).collect();
        let kernels: Vec<_> = seeds.iter().copied().map(options.of.make()).collect();
        seeds.iter().zip(checks.all(&kernels)).for_each(|(seed, verdict)| report.add(*seed, verdict));
    }
    print!("seeds {} to {}: {}", options.seed, end - 1, report.text());
    for (seed, wrong) in report.wrong.iter().take(MAX_REPORTED) {
        let more = options.of.word().map(|word| format!(" {word}")).unwrap_or_default();
        let again = format!("cargo xtask fuzz --devices --count 1 --seed {seed}{more}");
        println!("{}", campaign::report(&options.of.make()(*seed), wrong, &again, |kernel| checks.one(kernel)));
    }
    println!("{COUNTS}{} {} {} {}", report.same, report.refusals(), report.not_run(), report.wrong.len());
    check_kept(&checks)?;
    if report.wrong.is_empty() { Ok(()) } else { Err("kernels are wrong".into()) }
}

/// The kernels that were kept.
fn check_kept(checks: &Checks) -> Result<(), String> {
    let files = keep::files().map_err(|e| e.to_string())?;
    let cases = files.iter().map(|(path, text)| keep::case(text).map_err(|e| format!("{}: {e}", path.display())));
    let cases = cases.collect::<Result<Vec<_>, String>>()?;
    let verdicts = checks.cases(&cases.iter().map(Some).collect::<Vec<_>>());
    let wrong =
        files.iter().zip(verdicts).find(|(_, verdict)| matches!(verdict, obsidian_fuzz::check::Verdict::Wrong(_)));
    wrong.map_or(Ok(()), |((path, _), verdict)| Err(format!("{}: {verdict:?}", path.display())))
}
