//! The tasks but the check as lists of steps. A step whose tool cannot be had is skipped with the reason; once a tool is there, what it
//! says counts.

use std::path::{Path, PathBuf};

use crate::bench_pages::date;
use crate::candle;
use crate::cargo::{Cargo, cargo};
use crate::cudarc;
use crate::guide;
use crate::intel::{self, Intel};
use crate::least_rust;
use crate::lines;
use crate::opencl::{self, Drivers};
use crate::packages;
use crate::sizes;
use crate::static_bench;
use crate::table::{Outcome, Report};
use crate::tools::{self, Tools};
use crate::wheels::{self, MDBOOK, SENTRYWARD, Z3};

/// A paper's design space.
pub fn study(root: &Path, args: &[String]) -> Report {
    let mut report = Report::default();
    let run = ["run", "--release", "--quiet", "-p", "obsidian-studies", "--"];
    let all: Vec<&str> = run.into_iter().chain(args.iter().map(String::as_str)).collect();
    report.run("study", || cargo(root, &all, &[]));
    report
}

/// Records the spaces that are kept, driver by driver.
pub fn record(root: &Path, names: &[String]) -> Report {
    let mut report = Report::default();
    let drivers = set_up_opencl(root, &mut report);
    let intel = set_up_intel(root, &mut report);
    let date = date();
    let of = |on: &'static str| -> Vec<&str> {
        let run = ["run", "--release", "--quiet", "-p", "obsidian-studies", "--", "record", date.as_str(), on];
        run.into_iter().chain(names.iter().map(String::as_str)).collect()
    };
    report.run("record: CPU", || cargo(root, &of("cpu"), &[]));
    report.run("record: Intel's OpenCL", || on_intel(cargo, root, &intel, &of("intel")));
    report.run("record: PoCL", || on_pocl(cargo, root, &drivers, &of("pocl"), &[]));
    report
}

/// The programs with libraries of their own alone.
pub fn others(root: &Path) -> Report {
    let mut report = Report::default();
    report.run("CUDA: another cudarc", || cudarc::check(root));
    report.run("candle", || candle::check(root));
    report
}

/// The dry run of publishing alone.
pub fn packages(root: &Path) -> Report {
    let mut report = Report::default();
    report.run("packages", || packages::dry_run(root));
    report.run("least Rust", || least_rust::check(root));
    report
}

/// The book alone.
pub fn guide(root: &Path) -> Report {
    let mut report = Report::default();
    report.run("guide", || guide::check(root));
    report
}

/// Runs the benches.
pub fn bench(root: &Path) -> Report {
    let mut report = Report::default();
    report.run("bench: cpu", || cargo(root, &["bench", "-p", "obsidian-benches", "--bench", "cpu"], &[]));
    let drivers = set_up_opencl(root, &mut report);
    let accelerate = ["bench", "-p", "obsidian-benches", "--bench", "accelerate"];
    report.run("bench: accelerate", || on_pocl(cargo, root, &drivers, &accelerate, &[]));
    let intel = set_up_intel(root, &mut report);
    report.run("bench: accelerate on Intel's driver", || on_intel(cargo, root, &intel, &accelerate));
    report.run("bench: expansion", || cargo(root, &["bench", "-p", "obsidian-benches", "--bench", "expansion"], &[]));
    report
}

/// How many lines the sources have.
pub fn sizes(root: &Path, commit: Option<&str>) -> Report {
    let mut report = Report::default();
    report.run("sizes", || sizes::print(root, commit));
    report
}

/// Which lines of kernels their texts tell, and NVIDIA's compilers.
pub fn lines(root: &Path) -> Report {
    let mut report = Report::default();
    let tools = set_up(root, &mut report);
    let dir = root.join("target/xtask/lines");
    report.run("texts with lines", || {
        let _ = std::fs::remove_dir_all(&dir);
        match std::fs::create_dir_all(&dir) {
            Ok(()) => cargo(root, &["test", "-p", "obsidian-lang", "--test", "lines"], &[("OBSIDIAN_LINES_OUT", &dir)]),
            Err(e) => Outcome::Fail(e.to_string()),
        }
    });
    report.run("lines in SASS", || match &tools {
        Ok(tools) => lines::in_sass(tools, root, &dir),
        Err(outcome) => outcome.clone(),
    });
    report
}

/// Holds our PTX beside CUDA C by hand and CUB.
pub fn static_bench(root: &Path) -> Report {
    let mut report = Report::default();
    let tools = set_up(root, &mut report);
    let dir = root.join("target/xtask/static");
    report.run("emit kernels", || {
        let to = dir.to_string_lossy();
        let args = ["run", "--quiet", "-p", "cargo-obsidian", "--", "emit", "ptx", "--all", "--out", &to];
        cargo(root, &[&args[..], &static_bench::emit()].concat(), &[])
    });
    report.run("static bench", || match (&tools, wheels::cub(root)) {
        (Ok(tools), Ok(headers)) => static_bench::run(tools, root, &dir, &headers),
        (Err(outcome), _) => outcome.clone(),
        (_, Err(outcome)) => outcome,
    });
    report
}

/// Measures the library's functions.
pub fn accuracy(root: &Path, stride: Option<&str>) -> Report {
    let mut report = Report::default();
    let args =
        ["run", "--release", "--quiet", "-p", "obsidian-tests", "--example", "accuracy", "--", stride.unwrap_or("1")];
    report.run("accuracy", || cargo(root, &args, &[]));
    report
}

/// Only sets up.
pub fn setup(root: &Path) -> Report {
    let mut report = Report::default();
    let _ = set_up(root, &mut report);
    let _ = set_up_opencl(root, &mut report);
    let _ = set_up_intel(root, &mut report);
    for wheel in [SENTRYWARD, Z3, MDBOOK] {
        report.run(wheel.step, || match wheel.get(root) {
            Ok(_) => Outcome::Pass(wheel.wheel.into()),
            Err(outcome) => outcome,
        });
    }
    report
}

fn drivers(root: &Path) -> Result<Drivers, Outcome> {
    opencl::get(root).and_then(|drivers| drivers.knowing_this_processor(root))
}

fn intel(root: &Path) -> Result<Intel, Outcome> {
    opencl::get(root).and_then(|_| intel::get(root))
}

/// The compilers and drivers of others, or why there are none.
pub struct SetUp {
    pub tools: Result<Tools, Outcome>,
    pub drivers: Result<Drivers, Outcome>,
    pub intel: Result<Intel, Outcome>,
}

impl SetUp {
    /// Brings what is not here yet.
    pub fn get(root: &Path) -> SetUp {
        SetUp { tools: tools::get(root), drivers: drivers(root), intel: intel(root) }
    }

    /// Where nothing was brought.
    pub fn none() -> SetUp {
        let none = || Outcome::Fail("not set up".into());
        SetUp { tools: Err(none()), drivers: Err(none()), intel: Err(none()) }
    }

    /// What there is, or what is missing first: a failure before a skip.
    pub fn outcome(&self) -> Outcome {
        let missing = [self.tools.as_ref().err(), self.drivers.as_ref().err(), self.intel.as_ref().err()];
        let missing: Vec<&Outcome> = missing.into_iter().flatten().collect();
        let failed = missing.iter().find(|outcome| matches!(outcome, Outcome::Fail(_)));
        match (failed.or(missing.first()), &self.drivers) {
            (Some(&outcome), _) => outcome.clone(),
            (None, Ok(drivers)) => Outcome::Pass(format!("{TOOLS}; {}; {}", drivers.names(), intel::WHEELS[0])),
            (None, Err(outcome)) => outcome.clone(),
        }
    }
}

/// NVIDIA's.
const TOOLS: &str = "ptxas 12.9 and 13.0, NVRTC 13.0, nvdisasm 13.2";

pub fn set_up_opencl(root: &Path, report: &mut Report) -> Result<Drivers, Outcome> {
    let mut found = Err(Outcome::Fail("not set up".into()));
    report.run("set up OpenCL", || {
        found = drivers(root);
        match &found {
            Ok(drivers) => Outcome::Pass(drivers.names()),
            Err(outcome) => outcome.clone(),
        }
    });
    found
}

pub fn set_up_intel(root: &Path, report: &mut Report) -> Result<Intel, Outcome> {
    let mut found = Err(Outcome::Fail("not set up".into()));
    report.run("set up Intel's OpenCL", || {
        found = intel(root);
        match &found {
            Ok(_) => Outcome::Pass(intel::WHEELS[0].into()),
            Err(outcome) => outcome.clone(),
        }
    });
    found
}

/// Cargo with Intel's OpenCL driver.
pub fn on_intel(cargo: Cargo, root: &Path, intel: &Result<Intel, Outcome>, args: &[&str]) -> Outcome {
    match intel {
        Ok(intel) => {
            with_drivers(&opencl::get(root), |drivers| cargo(root, args, &borrowed(&intel.environment(root, drivers))))
        }
        Err(outcome) => outcome.clone(),
    }
}

/// Cargo with PoCL as the OpenCL driver.
pub fn on_pocl(
    cargo: Cargo,
    root: &Path,
    drivers: &Result<Drivers, Outcome>,
    args: &[&str],
    more: &[(&str, &Path)],
) -> Outcome {
    with_drivers(drivers, |drivers| {
        let environment = drivers.environment(root);
        let mut all = borrowed(&environment);
        all.extend(more);
        cargo(root, args, &all)
    })
}

pub fn with_drivers(drivers: &Result<Drivers, Outcome>, work: impl FnOnce(&Drivers) -> Outcome) -> Outcome {
    match drivers {
        Ok(drivers) => work(drivers),
        Err(outcome) => outcome.clone(),
    }
}

pub fn borrowed<'a>(environment: &'a [(&'static str, PathBuf)]) -> Vec<(&'a str, &'a Path)> {
    environment.iter().map(|(name, value)| (*name, value.as_path())).collect()
}

pub fn set_up(root: &Path, report: &mut Report) -> Result<Tools, Outcome> {
    let mut found = Err(Outcome::Fail("not set up".into()));
    report.run("set up", || {
        found = tools::get(root);
        match &found {
            Ok(_) => Outcome::Pass(TOOLS.into()),
            Err(outcome) => outcome.clone(),
        }
    });
    found
}
