//! `cargo xtask fuzz`: random kernels, any number of them. The work is done by the crates `fuzz` and `fuzz/devices`.

use std::path::Path;

use crate::cargo::cargo;
use crate::opencl::Drivers;
use crate::steps::{borrowed, set_up_opencl, with_drivers};
use crate::table::{Outcome, Report};

/// Runs those of the test command on OpenCL. The whole workspace is named so that nothing is built with other features.
pub const ON_OPENCL: [&str; 7] =
    ["test", "--workspace", "--test", "random_on_opencl", "--", "--nocapture", "--test-threads=1"];

/// Runs those that need no checker, on any driver.
pub const WITHOUT_CHECKER: [&str; 6] = ["test", "--workspace", "--test", "random_on_opencl", "another_device", "--"];

/// Runs every function of the library at every length. A driver that optimises compiles these kernels for many minutes, PoCL without its
/// optimiser for less than one.
pub const LIBRARY: [&str; 7] = ["test", "--workspace", "--test", "table_on_devices", "on_opencl", "--", "--nocapture"];

/// The same on PoCL. That of the system is not asked for programs of several launches: PoCL 3.1 ends the process at some of them
/// (`exit != NULL` in `ParallelRegion::Create`) when others were compiled before; each alone is right.
pub fn on_pocl<'a>(drivers: &Result<Drivers, Outcome>, args: &[&'a str]) -> Vec<&'a str> {
    let mut args = args.to_vec();
    if drivers.as_ref().is_ok_and(Drivers::pocl_is_of_the_system) {
        args.extend(["--skip", "of_several_launches"]);
    }
    args
}

/// Runs any number.
const RUN: [&str; 6] = ["run", "--release", "--quiet", "-p", "obsidian-fuzz-devices", "--"];

/// Which kernels run where.
pub struct Options {
    count: u64,
    seed: u64,
    on: On,
    of: Of,
}

/// What is made of a seed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Kernel,
    /// A program of several launches.
    Launches,
}

impl Of {
    /// The word by which a command asks for it.
    fn word(self) -> Option<&'static str> {
        (self == Of::Launches).then_some("--launches")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Interpreters,
    /// Those that place every write, on the interpreter.
    Placed,
    Devices,
}

impl Options {
    /// From the words after `fuzz`.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { count: 2000, seed: 0, on: On::Interpreters, of: Of::Kernel };
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next().ok_or_else(|| format!("`{word}` wants a number"))?;
                text.parse::<u64>().map_err(|_| format!("`{text}` is no number"))
            };
            match word.as_str() {
                "--count" => options.count = number()?,
                "--seed" => options.seed = number()?,
                "--devices" => options.on = On::Devices,
                "--launches" => options.of = Of::Launches,
                "--placed" => options.on = On::Placed,
                other => return Err(format!("`fuzz` knows no `{other}`")),
            }
        }
        Ok(options)
    }
}

/// Runs them.
pub fn run(root: &Path, options: &Options) -> Report {
    let mut report = Report::default();
    let (count, seed) = (options.count.to_string(), options.seed.to_string());
    if options.on != On::Devices {
        let mut args =
            vec!["run", "--release", "--quiet", "-p", "obsidian-fuzz", "--", "--count", &count, "--seed", &seed];
        args.extend((options.on == On::Placed).then_some("--placed"));
        args.extend(options.of.word());
        report.run("fuzz", || cargo(root, &args, &[]));
        return report;
    }
    let which =
        |on| [&RUN[..], &["--on", on, "--count", &count, "--seed", &seed], options.of.word().as_slice()].concat();
    report.run("fuzz on the CPU", || cargo(root, &which("interpreters,cpu"), &[]));
    let drivers = set_up_opencl(root, &mut report);
    report.run("fuzz on OpenCL", || {
        let run = |drivers: &Drivers| cargo(root, &which("opencl"), &borrowed(&drivers.checking(root)));
        with_drivers(&drivers, run)
    });
    report
}
