//! `cargo xtask fuzz`: random kernels, any number of them. The work is done by the crates `fuzz` and `fuzz/batch`.

use std::path::Path;

use crate::steps::{cargo, on_pocl, set_up_opencl};
use crate::table::{Outcome, Report};

/// Runs the kernels that are compiled into `fuzz/batch` on the CPU and on OpenCL.
pub const ON_DEVICES: [&str; 6] = ["test", "--package", "obsidian-fuzz-batch", "--", "--nocapture", "--test-threads=1"];

/// Kernels compiled into one program.
const BATCH: u64 = 50;

/// Which kernels run where.
pub struct Options {
    count: u64,
    seed: u64,
    on: On,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Interpreters,
    Devices,
}

impl Options {
    /// From the words after `fuzz`.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { count: 2000, seed: 0, on: On::Interpreters };
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next().ok_or_else(|| format!("`{word}` wants a number"))?;
                text.parse::<u64>().map_err(|_| format!("`{text}` is no number"))
            };
            match word.as_str() {
                "--count" => options.count = number()?,
                "--seed" => options.seed = number()?,
                "--devices" => options.on = On::Devices,
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
    if options.on == On::Interpreters {
        let args = ["run", "--release", "--quiet", "-p", "obsidian-fuzz", "--", "--count", &count, "--seed", &seed];
        report.run("fuzz", || cargo(root, &args, &[]));
        return report;
    }
    let drivers = set_up_opencl(root, &mut report);
    let end = options.seed.saturating_add(options.count);
    for from in (options.seed..end).step_by(BATCH as usize) {
        let (seed, count) = (from.to_string(), BATCH.min(end - from).to_string());
        let which = [("OBSIDIAN_FUZZ_SEED", Path::new(&seed)), ("OBSIDIAN_FUZZ_COUNT", Path::new(&count))];
        report.run("fuzz on devices", || match &drivers {
            // The test of OpenCL says SKIP; the CPU is there.
            Err(Outcome::Skip(_)) => cargo(root, &ON_DEVICES, &which),
            _ => on_pocl(root, &drivers, &ON_DEVICES, &which),
        });
    }
    report
}
