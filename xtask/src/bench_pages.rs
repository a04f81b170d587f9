//! `cargo xtask bench opencl | cpu | rebuild | instructions`: a bench's tables, printed and kept as a page of `benches/results` with date and
//! commit.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::steps::{borrowed, set_up_intel, set_up_opencl};
use crate::table::{Outcome, Report};
use crate::{instructions, rebuild};

/// Runs the programs of Accelerate's report on each OpenCL driver for processors, and writes the page if both have run.
pub fn opencl(root: &Path) -> Report {
    let mut report = Report::default();
    let drivers = set_up_opencl(root, &mut report);
    let intel = set_up_intel(root, &mut report);
    let on_pocl = drivers.as_ref().map(|drivers| drivers.environment(root)).map_err(Clone::clone);
    let on_intel = match (&drivers, &intel) {
        (Ok(drivers), Ok(intel)) => Ok(intel.environment(root, drivers)),
        (Err(outcome), _) | (_, Err(outcome)) => Err(outcome.clone()),
    };
    let mut tables = Vec::new();
    for (step, driver, environment) in
        [("bench: PoCL", "PoCL", on_pocl), ("bench: Intel", "Intel's driver for processors", on_intel)]
    {
        let bench = |environment: Vec<_>| measured(root, "accelerate", &environment);
        report.run(step, || print_and_keep(driver, environment.and_then(bench), &mut tables));
    }
    if tables.len() == 2 {
        report.run("page", || written(root, ("opencl", "OpenCL C against OpenCL C by hand", OPENCL), &tables));
    }
    report
}

/// Runs the programs of the CPU's table, and writes the page.
pub fn cpu(root: &Path) -> Report {
    let mut report = Report::default();
    let mut tables = Vec::new();
    report.run("bench: CPU", || print_and_keep("CPU", measured(root, "cpu", &[]), &mut tables));
    if !tables.is_empty() {
        report.run("page", || written(root, ("cpu", "The CPU back end against rayon by hand", CPU), &tables));
    }
    report
}

/// Times `cargo check` after edits of a package, and writes the page.
pub fn rebuild(root: &Path) -> Report {
    let mut report = Report::default();
    let mut tables = Vec::new();
    report.run("bench: rebuild", || {
        print_and_keep("27 kernels", rebuild::table(root).map_err(Outcome::Fail), &mut tables)
    });
    if !tables.is_empty() {
        report.run("page", || written(root, ("rebuild", "What an edit costs", REBUILD), &tables));
    }
    report
}

/// Counts what an expansion takes, and writes the page.
pub fn instructions(root: &Path) -> Report {
    let mut report = Report::default();
    let mut tables = Vec::new();
    report.run("bench: instructions", || {
        print_and_keep("the kernels of `benches/expansion`", instructions::table(root), &mut tables)
    });
    if !tables.is_empty() {
        report.run("page", || written(root, ("instructions", "Instructions of an expansion", INSTRUCTIONS), &tables));
    }
    report
}

const INSTRUCTIONS: &str = "Counted by valgrind in the dev profile, on x86-64. `first` is\nthe first expansion in a process, which also \
                            reads what it uses of the library; `next` is one after it.";
const REBUILD: &str = "Seconds of `cargo check`\nin a package of its own with the profile lines of the README, of each edit the \
                       median. `nothing kept`: with `OBSIDIAN_EXPANSIONS=off`.";
const OPENCL: &str = "`OpenCL/by hand` is the time of the generated text over\nthat of `benches/opencl/*.cl` on the same device, of \
                      the best rounds; `median` is the same of the medians. The aim is at most 1.05.\nNo generated text \
                      reads astray; by hand only `smvm, tested` tests its indices.";
const CPU: &str = "`rayon/ours` is the time of a plain loop by hand over\nthat of the kernel, of the medians: above 1 the kernel is \
                   faster. `+-`: half of the rounds lie within this distance of the median. `aim`: what is to be reached with AVX-512.";

/// Prints a bench's table and keeps it.
fn print_and_keep<'a>(of: &'a str, table: Result<String, Outcome>, tables: &mut Vec<(&'a str, String)>) -> Outcome {
    match table {
        Ok(table) => {
            println!("{table}");
            tables.push((of, table));
            Outcome::Pass("measured".into())
        }
        Err(outcome) => outcome,
    }
}

/// What the bench prints.
fn measured(root: &Path, bench: &str, environment: &[(&'static str, PathBuf)]) -> Result<String, Outcome> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(["bench", "-p", "obsidian-benches", "--bench", bench]);
    command.envs(borrowed(environment)).stderr(Stdio::inherit());
    let output = command.output().map_err(|e| Outcome::Fail(e.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if output.status.success() { Ok(text) } else { Err(Outcome::Fail(format!("the bench failed\n{text}"))) }
}

/// What a page is: the beginning of its name, its title, how its tables are read.
type About<'a> = (&'a str, &'a str, &'a str);

fn written(root: &Path, about: About<'_>, tables: &[(&str, String)]) -> Outcome {
    let today = date();
    let path = root.join(format!("benches/results/{}-{today}.md", about.0));
    match std::fs::write(&path, page(about, (&today, &commit(root)), tables)) {
        Ok(()) => Outcome::Pass(path.display().to_string()),
        Err(e) => Outcome::Fail(format!("{}: {e}", path.display())),
    }
}

fn page((name, title, read): About<'_>, (today, commit): (&str, &str), tables: &[(&str, String)]) -> String {
    let mut page =
        format!("# {title}, {today}\n\nPrinted and written by `cargo xtask bench {name}` at commit {commit}. {read}\n");
    for (of, table) in tables {
        let _ = write!(page, "\n## {of}\n\n```text\n{table}\n```\n");
    }
    page
}

fn commit(root: &Path) -> String {
    let output = Command::new("git").current_dir(root).args(["describe", "--always", "--dirty"]).output();
    let found =
        output.ok().filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
    found.unwrap_or_else(|| "unknown".to_string())
}

/// Today in UTC, `2026-11-22`.
pub fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// The date of a day, counted from 1970-01-01.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_453), (2025, 12, 31));
        assert_eq!(civil(20_454), (2026, 1, 1));
    }

    #[test]
    fn a_page_names_its_command_its_day_its_commit_and_what_was_measured() {
        let tables = [("PoCL", "x 1.00".into()), ("Intel", "y 1.01".into())];
        let page = page(("opencl", "OpenCL", "Less is better."), ("2026-11-22", "abc"), &tables);
        for part in [
            "# OpenCL, 2026-11-22",
            "bench opencl` at commit abc. Less is better.",
            "## PoCL\n\n```text\nx 1.00\n```",
            "## Intel\n\n```text\ny 1.01\n```",
        ] {
            assert!(page.contains(part), "{page}");
        }
    }
}
