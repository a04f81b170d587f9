//! The project's check as lists of steps. A step whose tool cannot be had is skipped with the reason; once a tool is there, what it
//! says counts.

use std::path::Path;
use std::sync::OnceLock;

use crate::browser;
use crate::candle;
use crate::cargo::{Cargo, cargo, linted};
use crate::cudarc;
use crate::examples::{self, example, ran};
use crate::fuzz;
use crate::guide;
use crate::intel::Intel;
use crate::kernels::{self, TARGETS_12, TARGETS_13};
use crate::least_rust;
use crate::lines;
use crate::mpi;
use crate::opencl::{self, Drivers};
use crate::packages;
use crate::simulated;
use crate::steps::{SetUp, borrowed, on_intel, on_pocl, with_drivers};
use crate::table::{Outcome, Report, Step};
use crate::tools::Tools;
use crate::wheels::{SENTRYWARD, Wheel, Z3};

/// Sets up and runs everything: what the rest needs first, all that needs nothing of each other side by side.
pub fn test(root: &Path) -> Report {
    let mut report = Report::default();
    let logs = root.join("target/xtask/logs");
    let dir = root.join("target/xtask/kernels");
    let (lines, expected) = (dir.join("lines"), root.join(EXPECTED));
    // What an earlier run has left must not stand in for what this one makes.
    for folder in [&dir, &expected] {
        let _ = std::fs::remove_dir_all(folder);
    }
    report.run("folders", || match [&lines, &expected].into_iter().try_for_each(std::fs::create_dir_all) {
        Ok(()) => Outcome::Pass("empty".into()),
        Err(e) => Outcome::Fail(e.to_string()),
    });
    let found = OnceLock::new();
    report.run_side_by_side(&logs, at_first(root, &found));
    let SetUp { tools, drivers, intel } = found.into_inner().unwrap_or_else(SetUp::none);
    // As the tests are built, so that what they share is not built again.
    report.run("build examples", || linted(root, &["build", "--workspace", "--profile", "test", "--examples"], &[]));
    let here = of_the_machine(root, (&dir, &lines));
    // Packages outside are built on one core for a long time: beside the tests, and not at the end.
    let steps = [here, with_libraries(root), on_opencl(root, &drivers, &intel), by_others(root)];
    report.run_side_by_side(&logs, steps.into_iter().flatten().collect());
    report.run("emit kernels", || ran(example(root, "emit").arg("--dir").arg(&dir), "emit"));
    report.run_side_by_side(&logs, by_nvidia(root, &tools, (&dir, &lines)));
    report
}

/// Where the tests that hold back ends against the interpreter keep what that gives: all are compared with the same.
const EXPECTED: &str = "target/xtask/expected";

/// Cargo as [`linted`] calls it, with that folder.
fn compared(root: &Path, args: &[&str], env: &[(&str, &Path)]) -> Outcome {
    let folder = root.join(EXPECTED);
    linted(root, args, &[env, &[("OBSIDIAN_TEST_EXPECTED", folder.as_path())]].concat())
}

/// All tests but those in `obsidian-ir`, which has none elsewhere.
const TESTS: [&str; 4] = ["test", "--workspace", "--exclude", "obsidian-ir"];
/// These, without the optimisation with which all else has the compiler: with it they are built for three times as long as they then save.
const OF_THE_PASSES: [&str; 6] =
    ["--config", "profile.test.package.obsidian-ir.opt-level=0", "test", "-p", "obsidian-ir", "--lib"];
/// The examples in its pages, which take the library as it is built for all else.
const OF_THEIR_PAGES: [&str; 4] = ["test", "-p", "obsidian-ir", "--doc"];

/// The build, which has work for one core at times, and what needs nothing of it.
fn at_first<'a>(root: &'a Path, found: &'a OnceLock<SetUp>) -> Vec<Step<'a>> {
    // Not `--all-targets`: that builds libraries and examples once more as tests that have none.
    let targets = ["--no-run", "--bins", "--tests", "--benches"];
    let build = move || linted(root, &[&TESTS[..], &targets].concat(), &[]);
    vec![
        Step::new("build and lints", build),
        Step::new("set up", move || found.get_or_init(|| SetUp::get(root)).outcome()),
        Step::new("format", move || cargo(root, &["fmt", "--all", "--", "--check"], &[])),
        Step::new("candle", move || candle::check(root)),
    ]
}

/// The tests that need nothing but this machine; they write kernels and their lines into the two folders.
fn of_the_machine<'a>(root: &'a Path, (kernels, lines): (&'a Path, &'a Path)) -> Vec<Step<'a>> {
    // The unit tests' PTX beside the kernels', and all kernels with their lines; every planted fault, not a sample.
    let around =
        [("OBSIDIAN_PTX_OUT", kernels), ("OBSIDIAN_LINES_OUT", lines), ("OBSIDIAN_ALL_FAULTS", Path::new("1"))];
    vec![
        Step::new("tests", move || compared(root, &[&TESTS[..], &["--no-fail-fast"]].concat(), &around)),
        Step::new("tests of the passes", move || match linted(root, &OF_THE_PASSES, &around) {
            Outcome::Pass(_) => linted(root, &OF_THEIR_PAGES, &around),
            other => other,
        }),
        Step::new("CUDA: simulated", || simulated::suite(root)),
        Step::new("examples of any size", || examples::of_any_size_here(root)),
    ]
}

/// Tests and examples on OpenCL's drivers.
fn on_opencl<'a>(
    root: &'a Path,
    drivers: &'a Result<Drivers, Outcome>,
    intel: &'a Result<Intel, Outcome>,
) -> Vec<Step<'a>> {
    let every_program = ["test", "--workspace", "--test", "opencl", "--", "--nocapture"];
    let unoptimised = move |cargo: Cargo, args: &[&str]| {
        with_drivers(drivers, |d| cargo(root, args, &borrowed(&d.unoptimised(root))))
    };
    vec![
        Step::new("OpenCL: PoCL", move || {
            let tests = ["opencl", "oclgrind", "export", "tune"].map(|name| ["--test", name]).concat();
            let args = [&["test", "--workspace"], &tests[..], &["--", "--nocapture"]].concat();
            on_pocl(compared, root, drivers, &args, &[])
        }),
        Step::new("OpenCL: Python", || {
            match drivers.as_ref().map_err(Clone::clone).and_then(|_| opencl::python(root)) {
                Ok(python) => {
                    let args = ["test", "--workspace", "--test", "export", "python", "--", "--nocapture"];
                    on_pocl(linted, root, drivers, &args, &[("OBSIDIAN_TEST_PYTHON", &python)])
                }
                Err(outcome) => outcome,
            }
        }),
        // What PoCL's optimiser makes of kernels the step `OpenCL: PoCL` shows; here it would take more than twice as long.
        Step::new("OpenCL: level Device on PoCL unoptimised", move || {
            unoptimised(linted, &["test", "--workspace", "--test", "device", "on_opencl", "--", "--nocapture"])
        }),
        Step::new("OpenCL: PoCL unoptimised", move || unoptimised(compared, &every_program)),
        Step::new("OpenCL: library on PoCL unoptimised", move || {
            unoptimised(linted, &fuzz::on_pocl(drivers, &fuzz::LIBRARY))
        }),
        Step::new("OpenCL: Intel", move || on_intel(compared, root, intel, &every_program)),
        Step::new("OpenCL: examples", || examples::on_pocl(root, drivers)),
        Step::new("random kernels on PoCL", move || {
            on_pocl(linted, root, drivers, &fuzz::on_pocl(drivers, &fuzz::ON_OPENCL), &[])
        }),
        Step::new("random kernels on PoCL unoptimised", move || {
            unoptimised(linted, &fuzz::on_pocl(drivers, &fuzz::WITHOUT_CHECKER))
        }),
        Step::new("random kernels on Intel", || on_intel(linted, root, intel, &fuzz::WITHOUT_CHECKER)),
    ]
}

/// What is judged and shown by programs of others.
fn by_others(root: &Path) -> Vec<Step<'_>> {
    vec![
        Step::new("explorer in Chromium", || match browser::get() {
            Ok(browser) => {
                let args = ["test", "--workspace", "--test", "explore", "in_a_browser", "--", "--nocapture"];
                linted(root, &args, &[("OBSIDIAN_TEST_CHROMIUM", browser.as_path())])
            }
            Err(outcome) => outcome,
        }),
        Step::new("docs", || docs(root)),
        Step::new("guide", || guide::check(root)),
        // One test after the other: each uses all cores.
        Step::new("judge", || {
            let args = ["test", "--workspace", "--test", "judge", "--", "--nocapture", "--test-threads=1"];
            with_wheel(root, &Z3, "OBSIDIAN_TEST_Z3", &args)
        }),
        Step::new("sentryward", || {
            let args = ["test", "--workspace", "--test", "ptx", "sentryward", "--", "--nocapture"];
            with_wheel(root, &SENTRYWARD, "OBSIDIAN_TEST_SENTRYWARD", &args)
        }),
    ]
}

/// Programs that have libraries of their own, and what would be published.
fn with_libraries(root: &Path) -> Vec<Step<'_>> {
    vec![
        Step::new("MPI", || mpi::suite(root)),
        Step::new("CUDA: another cudarc", || cudarc::check(root)),
        Step::new("packages", || packages::dry_run(root)),
        Step::new("least Rust", || least_rust::check(root)),
    ]
}

/// NVIDIA's compilers over what the folders of kernels and of kernels with their lines hold.
fn by_nvidia<'a>(
    root: &'a Path,
    tools: &'a Result<Tools, Outcome>,
    (dir, lines): (&'a Path, &'a Path),
) -> Vec<Step<'a>> {
    fn with(tools: &Result<Tools, Outcome>, check: impl FnOnce(&Tools) -> Outcome) -> Outcome {
        tools.as_ref().map_or_else(Outcome::clone, check)
    }
    vec![
        Step::new("ptxas 12.9", || with(tools, |t| kernels::assemble(&t.ptxas_12, &TARGETS_12, dir))),
        Step::new("ptxas 13.0", || with(tools, |t| kernels::assemble(&t.ptxas_13, &TARGETS_13, dir))),
        Step::new("NVRTC", || with(tools, |t| kernels::compile(t, root, dir))),
        Step::new("lines in SASS", || with(tools, |t| lines::in_sass(t, root, lines))),
    ]
}

/// The pages of rustdoc of what is published, as docs.rs makes them; those of cudarc, which are thousands, are not among ours.
fn docs(root: &Path) -> Outcome {
    let strict = [("RUSTDOCFLAGS", Path::new("-D warnings"))];
    let others = match packages::members(root) {
        Ok((_, others)) => others,
        Err(why) => return Outcome::Fail(why),
    };
    // Of the whole workspace, with the one that asks for more of `syn`: features are those that everything was built with. Its own page is empty.
    let excluded = others.iter().filter(|name| *name != mpi::PACKAGE).flat_map(|name| ["--exclude", name]);
    let args: Vec<&str> =
        ["doc", "--workspace", "--no-deps", "--profile", "test"].into_iter().chain(excluded).collect();
    match linted(root, &args, &strict) {
        Outcome::Pass(_) if mpi::target(root).join("doc/obsidian/cudarc").exists() => {
            Outcome::Fail("the pages of cudarc are rendered as this project's".into())
        }
        other => other,
    }
}

/// Crates whose tests build no program: the compiler, its macros, and the data and runtime beside them.
const QUICK: [&str; 5] = ["obsidian-abi", "obsidian-ir", "obsidian-lang", "obsidian-macros", "obsidian-runtime"];

/// What an edit of the compiler or the runtime is checked by first; needs no tool.
pub fn quick(root: &Path) -> Report {
    let mut report = Report::default();
    let of_them = |task: &'static str, more: &[&'static str]| {
        let packages = QUICK.iter().flat_map(|name| ["-p", name]);
        let args: Vec<&str> = [task].into_iter().chain(packages).chain(more.iter().copied()).collect();
        cargo(root, &args, &[])
    };
    report.run("format", || cargo(root, &["fmt", "--all", "--", "--check"], &[]));
    report.run("clippy", || of_them("clippy", &["--all-targets", "--profile", "test", "--", "-D", "warnings"]));
    report.run("tests", || of_them("test", &["--no-fail-fast"]));
    report
}

/// Tests with the program of a wheel, which `variable` names.
fn with_wheel(root: &Path, wheel: &Wheel, variable: &str, args: &[&str]) -> Outcome {
    match wheel.get(root) {
        Ok(tool) => linted(root, args, &[(variable, tool.as_path())]),
        Err(outcome) => outcome,
    }
}
