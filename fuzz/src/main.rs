//! Runs random kernels: `cargo xtask fuzz --count N --seed S`. Prints counts, and for the first kernels that show something
//! wrong a small one that shows it too.

use std::process::ExitCode;

use obsidian_fuzz::{campaign, generate, print};

/// The most kernels that are shrunk and printed.
const MAX_REPORTED: usize = 5;

/// Seeds in one go: counts are printed after each.
const ROUND: u64 = 500;

const HELP: &str =
    "fuzz [--count N] [--seed S] [--print]: the kernels of the seeds S to S + N - 1; --print only prints them";

struct Options {
    count: u64,
    seed: u64,
    task: Task,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    Check,
    Print,
}

fn options() -> Option<Options> {
    let mut options = Options { count: 2000, seed: 0, task: Task::Check };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--count" => options.count = args.next()?.parse().ok()?,
            "--seed" => options.seed = args.next()?.parse().ok()?,
            "--print" => options.task = Task::Print,
            _ => return None,
        }
    }
    Some(options)
}

fn main() -> ExitCode {
    let Some(Options { count, seed, task }) = options() else {
        eprintln!("{HELP}");
        return ExitCode::FAILURE;
    };
    let end = seed.saturating_add(count);
    if task == Task::Print {
        (seed..end).for_each(|s| println!("// seed {s}\n{}", print::kernel(&generate::of_seed(s), "k")));
        return ExitCode::SUCCESS;
    }
    // What is caught is reported below.
    std::panic::set_hook(Box::new(|_| {}));
    let (mut from, mut told) = (seed, 0);
    while from < end {
        let to = end.min(from + ROUND);
        let report = campaign::run(from..to);
        print!("seeds {from} to {}: {}", to - 1, report.text());
        for (seed, wrong) in &report.wrong {
            if told < MAX_REPORTED {
                println!("{}", campaign::report_by_interpreters(*seed, wrong));
            } else {
                println!("seed {seed}: {:?}", wrong.who);
            }
            told += 1;
        }
        from = to;
    }
    if told == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
