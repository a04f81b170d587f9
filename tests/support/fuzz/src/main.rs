//! Runs random kernels: `cargo xtask fuzz --count N --seed S`. Prints counts, and for the first kernels that show something
//! wrong a small one that shows it too.

use std::ops::Range;
use std::process::ExitCode;

use obsidian_fuzz::ast::Kernel;
use obsidian_fuzz::{campaign, generate, placed, print};

/// The most kernels that are shrunk and printed.
const MAX_REPORTED: usize = 5;

/// Seeds in one go: counts are printed after each.
const ROUND: u64 = 500;

const HELP: &str = "fuzz [--count N] [--seed S] [--placed | --launches] [--print | --refusals | --lengths]: the kernels of the seeds S to S + N - 1; \
     --placed takes those that place every write, --launches programs of several launches; --print only prints them, --refusals only \
     what the compiler says of those that it refuses; --lengths launches them at other lengths, and tells what is refused in vain";

struct Options {
    count: u64,
    seed: u64,
    task: Task,
    make: fn(u64) -> Kernel,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    Check,
    Placed,
    Print,
    PrintPlaced,
    Refusals,
    Lengths,
}

fn options() -> Option<Options> {
    let mut options = Options { count: 2000, seed: 0, task: Task::Check, make: generate::of_seed };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--count" => options.count = args.next()?.parse().ok()?,
            "--seed" => options.seed = args.next()?.parse().ok()?,
            "--print" if options.task == Task::Placed => options.task = Task::PrintPlaced,
            "--print" => options.task = Task::Print,
            "--refusals" => options.task = Task::Refusals,
            "--lengths" => options.task = Task::Lengths,
            "--placed" => options.task = Task::Placed,
            "--launches" => options.make = generate::of_launches,
            _ => return None,
        }
    }
    Some(options)
}

fn main() -> ExitCode {
    let Some(Options { count, seed, task, make }) = options() else {
        eprintln!("{HELP}");
        return ExitCode::FAILURE;
    };
    let end = seed.saturating_add(count);
    if task == Task::Print {
        (seed..end).for_each(|s| println!("// seed {s}\n{}", print::kernel(&make(s), "k")));
        return ExitCode::SUCCESS;
    }
    if task == Task::PrintPlaced {
        (seed..end).for_each(|s| println!("// seed {s}\n{}", placed::of_seed(s).text));
        return ExitCode::SUCCESS;
    }
    if task == Task::Placed {
        return run_placed(seed..end);
    }
    if task == Task::Refusals {
        let refused = campaign::refusals(seed..end, make);
        refused.iter().for_each(|(seed, said)| println!("{seed}: {}", said.join("\n    ")));
        println!("{} of {count} refused", refused.len());
        return ExitCode::SUCCESS;
    }
    if task == Task::Lengths {
        let (launches, in_vain) = campaign::at_other_lengths(seed..end, make);
        in_vain.iter().for_each(|(seed, told)| println!("{seed}: {}", told.join("\n    ")));
        println!("{launches}");
        return ExitCode::SUCCESS;
    }
    // What is caught is reported below.
    std::panic::set_hook(Box::new(|_| {}));
    let (mut from, mut told) = (seed, 0);
    while from < end {
        let to = end.min(from + ROUND);
        let report = campaign::run(from..to, make);
        print!("seeds {from} to {}: {}", to - 1, report.text());
        for (seed, wrong) in &report.wrong {
            if told < MAX_REPORTED {
                println!("{}", campaign::report_by_interpreters(&make(*seed), wrong));
            } else {
                println!("seed {seed}: {:?}", wrong.who);
            }
            told += 1;
        }
        from = to;
    }
    if told == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The kernels that place every write: counts, and the first that do something wrong.
fn run_placed(seeds: Range<u64>) -> ExitCode {
    let report = placed::run(seeds);
    print!("{}", report.text());
    for (seed, what) in report.wrong.iter().take(MAX_REPORTED) {
        println!("seed {seed}: {what}");
    }
    if report.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
