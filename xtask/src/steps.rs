//! The tasks as lists of steps. A step whose tool cannot be had is skipped with the reason; once a tool is there, what it
//! says counts.

use std::path::Path;
use std::process::Command;

use crate::kernels::{self, TARGETS_12, TARGETS_13};
use crate::opencl::{self, Drivers};
use crate::static_bench;
use crate::table::{Outcome, Report};
use crate::tools::{self, Tools};

/// Sets up and runs everything.
pub fn test(root: &Path) -> Report {
    let mut report = Report::default();
    let tools = set_up(root, &mut report);
    let dir = root.join("target/xtask/kernels");
    // Kernels of an earlier run must not stand in for those of this one.
    let _ = std::fs::remove_dir_all(&dir);
    report.run("kernel folder", || match std::fs::create_dir_all(&dir) {
        Ok(()) => Outcome::Pass("empty".into()),
        Err(e) => Outcome::Fail(e.to_string()),
    });
    let drop_here = [("OBSIDIAN_PTX_OUT", dir.as_path())];
    report.run("format", || cargo(root, &["fmt", "--all", "--", "--check"], &[]));
    report.run("clippy", || cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[]));
    report.run("tests", || cargo(root, &["test", "--workspace", "--no-fail-fast"], &drop_here));
    let drivers = set_up_opencl(root, &mut report);
    report.run("OpenCL", || {
        on_pocl(root, &drivers, &["test", "--test", "opencl", "--test", "oclgrind", "--", "--nocapture"])
    });
    let strict = [("RUSTDOCFLAGS", Path::new("-D warnings"))];
    report.run("docs", || cargo(root, &["doc", "--workspace", "--no-deps"], &strict));
    let to = dir.to_string_lossy();
    report.run("emit kernels", || cargo(root, &["run", "--quiet", "--example", "emit", "--", "--dir", &to], &[]));
    let with = |check: &dyn Fn(&Tools) -> Outcome| match &tools {
        Ok(tools) => check(tools),
        Err(outcome) => outcome.clone(),
    };
    report.run("ptxas 12.9", || with(&|t| kernels::assemble(&t.ptxas_12, &TARGETS_12, &dir)));
    report.run("ptxas 13.0", || with(&|t| kernels::assemble(&t.ptxas_13, &TARGETS_13, &dir)));
    report.run("NVRTC", || with(&|t| kernels::compile(t, root, &dir)));
    report
}

/// Runs the benches.
pub fn bench(root: &Path) -> Report {
    let mut report = Report::default();
    report.run("bench: cpu", || cargo(root, &["bench", "--bench", "cpu"], &[]));
    report.run("bench: expansion", || cargo(root, &["bench", "--bench", "expansion"], &[]));
    report
}

/// Holds our PTX beside hand-written CUDA.
pub fn static_bench(root: &Path) -> Report {
    let mut report = Report::default();
    let tools = set_up(root, &mut report);
    let dir = root.join("target/xtask/static");
    report.run("emit kernels", || {
        let to = dir.to_string_lossy();
        let args = ["run", "--quiet", "--example", "emit", "--", "--dir", &to];
        cargo(root, &[&args[..], &static_bench::KERNELS.map(|k| k.ours)].concat(), &[])
    });
    report.run("static bench", || match &tools {
        Ok(tools) => static_bench::run(tools, root, &dir),
        Err(outcome) => outcome.clone(),
    });
    report
}

/// Measures the library's functions.
pub fn accuracy(root: &Path, stride: Option<&str>) -> Report {
    let mut report = Report::default();
    let args = ["run", "--release", "--quiet", "--example", "accuracy", "--", stride.unwrap_or("1")];
    report.run("accuracy", || cargo(root, &args, &[]));
    report
}

/// Only sets up.
pub fn setup(root: &Path) -> Report {
    let mut report = Report::default();
    let _ = set_up(root, &mut report);
    let _ = set_up_opencl(root, &mut report);
    report
}

fn set_up_opencl(root: &Path, report: &mut Report) -> Result<Drivers, Outcome> {
    let mut found = Err(Outcome::Fail("not set up".into()));
    report.run("set up OpenCL", || {
        found = opencl::get(root);
        match &found {
            Ok(_) => Outcome::Pass("PoCL 3.0, Oclgrind 19.10".into()),
            Err(outcome) => outcome.clone(),
        }
    });
    found
}

/// Cargo with PoCL as the OpenCL driver.
fn on_pocl(root: &Path, drivers: &Result<Drivers, Outcome>, args: &[&str]) -> Outcome {
    match drivers {
        Ok(drivers) => {
            let environment = drivers.environment(root);
            let borrowed: Vec<(&str, &Path)> =
                environment.iter().map(|(name, value)| (*name, value.as_path())).collect();
            cargo(root, args, &borrowed)
        }
        Err(outcome) => outcome.clone(),
    }
}

fn set_up(root: &Path, report: &mut Report) -> Result<Tools, Outcome> {
    let mut found = Err(Outcome::Fail("not set up".into()));
    report.run("set up", || {
        found = tools::get(root);
        match &found {
            Ok(_) => Outcome::Pass("ptxas 12.9 and 13.0, NVRTC 13.0, nvdisasm 13.2".into()),
            Err(outcome) => outcome.clone(),
        }
    });
    found
}

fn cargo(root: &Path, args: &[&str], env: &[(&str, &Path)]) -> Outcome {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(args).envs(env.iter().copied());
    match command.status() {
        Ok(status) if status.success() => Outcome::Pass(format!("cargo {}", args[..args.len().min(3)].join(" "))),
        Ok(_) => Outcome::Fail(format!("cargo {} failed; its messages are above", args[0])),
        Err(e) => Outcome::Fail(e.to_string()),
    }
}
