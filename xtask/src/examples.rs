//! The examples, each of which checks its own result: all of them with OpenCL, and those of a first day, and others that take a
//! length, at lengths and shapes that are no multiple of anything, on everything that runs kernels here.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cores::on_all_cores;
use crate::opencl::Drivers;
use crate::process;
use crate::simulated;
use crate::steps::with_drivers;
use crate::table::Outcome;

/// Examples that run kernels, with arguments that make them small.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("accuracy", &["5000011"]),
    ("black_scholes", &["2000"]),
    ("blur", &["64", "47"]),
    ("compaction", &["20011"]),
    ("conjugate_gradients", &["13"]),
    ("devices", &[]),
    ("dot_product", &["20000"]),
    ("fold_sum", &["20000"]),
    ("histogram", &[]),
    ("kernel_file", &[]),
    ("kmeans", &["2003", "5", "4"]),
    ("life", &["21", "61", "10"]),
    ("mandelbrot", &["target/xtask/mandelbrot.png"]),
    ("map_plus", &["20000"]),
    ("matrix_product", &["17", "33", "65"]),
    ("nbody", &["303", "3"]),
    ("pi", &["100003"]),
    ("prefix_sum", &["20011"]),
    ("quickstart", &["--file", "Cargo.lock"]),
    ("saxpy", &["20000"]),
    ("several_devices", &["20000"]),
    ("softmax", &["7", "333"]),
    ("sort", &["5003"]),
    ("sparse_matrix", &["2003"]),
    ("variance", &["20000"]),
    ("word_count", &[]),
    ("word_sort", &["Cargo.lock"]),
];

/// What an example is asked to be as large as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// A number of elements.
    Count,
    /// A number of elements, each of which looks at all others; then steps.
    Pairs,
    /// A file of so many bytes.
    File,
    /// Rows and columns.
    Shape,
    /// The same, and the inner side of a product between them.
    Product,
}

/// The programs of a first day, and other examples whose length is an argument.
const OF_ANY_SIZE: &[(&str, Size)] = &[
    ("variance", Size::Count),
    ("softmax", Size::Shape),
    ("blur", Size::Shape),
    ("matrix_product", Size::Product),
    ("histogram", Size::File),
    ("compaction", Size::Count),
    ("prefix_sum", Size::Count),
    ("sort", Size::Count),
    ("nbody", Size::Pairs),
    ("kmeans", Size::Count),
    ("life", Size::Shape),
    ("pi", Size::Count),
    ("black_scholes", Size::Count),
    ("dot_product", Size::Count),
    ("fold_sum", Size::Count),
    ("map_plus", Size::Count),
    ("saxpy", Size::Count),
    ("sparse_matrix", Size::Count),
];

const LENGTHS: [usize; 13] = [0, 1, 31, 32, 33, 255, 256, 257, 1003, 65_535, 65_536, 65_537, 1_000_003];
const SHAPES: [(usize, usize); 4] = [(1, 1), (7, 333), (641, 479), (3, 5000)];

/// Who runs them, and how much of each.
#[derive(Debug, Clone, Copy)]
struct Runner {
    backend: &'static str,
    /// The most elements of an array.
    most: usize,
    /// The most of whom each looks at all others.
    most_of_pairs: usize,
    /// The most elements of a matrix.
    most_of_matrix: usize,
}

const CPU: Runner = Runner { backend: "cpu", most: 1_000_003, most_of_pairs: 1003, most_of_matrix: usize::MAX };
const POCL: Runner = Runner { backend: "opencl", most: 65_537, most_of_pairs: 1003, most_of_matrix: usize::MAX };
const SIMULATED: Runner = Runner { backend: "cuda", most: 1003, most_of_pairs: 33, most_of_matrix: 2331 };
const INTERPRETER: Runner = Runner { backend: "check", most: 1003, most_of_pairs: 33, most_of_matrix: 2331 };

/// The arguments of an example for each of its sizes.
fn arguments(root: &Path, size: Size, runner: Runner) -> Vec<Vec<String>> {
    let lengths = |most: usize| LENGTHS.into_iter().filter(move |&n| n <= most);
    let shapes = SHAPES.into_iter().filter(|(rows, cols)| rows * cols <= runner.most_of_matrix);
    match size {
        Size::Count => lengths(runner.most).map(|n| vec![n.to_string()]).collect(),
        Size::Pairs => lengths(runner.most_of_pairs).map(|n| vec![n.to_string(), "2".into()]).collect(),
        Size::File => lengths(runner.most).map(|n| vec![file_of(root, n)]).collect(),
        Size::Shape => shapes.map(|(rows, cols)| vec![rows.to_string(), cols.to_string()]).collect(),
        Size::Product => shapes.map(|(rows, cols)| vec![rows.to_string(), "33".into(), cols.to_string()]).collect(),
    }
}

/// The path of a file of `n` bytes.
fn file_of(root: &Path, n: usize) -> String {
    let path = root.join("target/xtask").join(format!("bytes-{n}"));
    let bytes: Vec<u8> = (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    if fs::metadata(&path).map_or(true, |found| found.len() != n as u64) {
        let _ = fs::create_dir_all(root.join("target/xtask")).and_then(|()| fs::write(&path, bytes));
    }
    path.display().to_string()
}

/// Every example with OpenCL as the back end. PoCL's optimiser is off: it takes four times as long over the kernels, which are those of
/// functions that other steps run optimised, and what is asked here is the host's part.
pub fn on_pocl(root: &Path, drivers: &Result<Drivers, Outcome>) -> Outcome {
    with_drivers(drivers, |drivers| {
        let files = fs::read_dir(root.join("examples")).into_iter().flatten().flatten().map(|entry| entry.path());
        let names = files.filter_map(|path| path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        let known = |name: &String| EXAMPLES.iter().any(|(n, _)| n == name);
        if let Some(name) = names.into_iter().find(|name| !known(name)) {
            return Outcome::Fail(format!("the example `{name}` is not in the list of those to run"));
        }
        let run = |&(name, args): &(&str, &[&str])| {
            let mut command = example(root, name);
            command.args(args).envs(drivers.unoptimised(root)).env("OBSIDIAN_BACKEND", "opencl");
            ran(&mut command, name)
        };
        if let Some(failed) = on_all_cores(EXAMPLES, run).into_iter().find(is_failure) {
            return failed;
        }
        of_any_size(root, POCL, |command| {
            command.envs(drivers.unoptimised(root));
        })
    })
}

/// Those of any size on the CPU, the interpreter and, as PTX, on the simulated driver.
pub fn of_any_size_here(root: &Path) -> Outcome {
    let mut counts = Vec::new();
    for runner in [CPU, INTERPRETER] {
        match of_any_size(root, runner, |_| {}) {
            Outcome::Pass(said) => counts.push(said),
            other => return other,
        }
    }
    let simulated = simulated::driver(root).map(|dir| {
        of_any_size(root, SIMULATED, |command| {
            command.env("LD_LIBRARY_PATH", &dir);
        })
    });
    match simulated {
        Ok(Outcome::Pass(said)) => counts.push(said),
        Err(Outcome::Skip(why)) => counts.push(why),
        Ok(other) | Err(other) => return other,
    }
    Outcome::Pass(counts.join("; "))
}

/// Each example at each of its sizes.
fn of_any_size(root: &Path, runner: Runner, prepare: impl Fn(&mut Command) + Sync) -> Outcome {
    let each = OF_ANY_SIZE
        .iter()
        .flat_map(|&(name, size)| arguments(root, size, runner).into_iter().map(move |args| (name, args)));
    let each: Vec<(&str, Vec<String>)> = each.collect();
    let run = |(name, args): &(&str, Vec<String>)| {
        let mut command = example(root, name);
        command.args(args).env("OBSIDIAN_BACKEND", runner.backend);
        prepare(&mut command);
        ran_quietly(&mut command, &format!("{name} {} on {}", args.join(" "), runner.backend))
    };
    let failed = on_all_cores(&each, run).into_iter().find(is_failure);
    failed.unwrap_or_else(|| Outcome::Pass(format!("{} runs on {}", each.len(), runner.backend)))
}

fn is_failure(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Fail(_))
}

/// An example as the step `build examples` left it.
pub fn example(root: &Path, name: &str) -> Command {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
    let mut command = Command::new(target.join("debug/examples").join(name));
    command.current_dir(root);
    command
}

/// What comes of it; what it prints is the step's.
pub fn ran(command: &mut Command, name: &str) -> Outcome {
    match process::status(command) {
        Ok(status) if status.success() => Outcome::Pass(format!("the example `{name}`")),
        Ok(status) => Outcome::Fail(format!("the example `{name}`: {status}")),
        Err(e) => Outcome::Fail(format!("the example `{name}`: {e}")),
    }
}

/// What comes of it; its messages are told if it fails.
fn ran_quietly(command: &mut Command, name: &str) -> Outcome {
    match process::output(command) {
        Ok(done) if done.status.success() => Outcome::Pass(format!("the example `{name}`")),
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            Outcome::Fail(format!("the example `{name}`: {}\n{said}", done.status))
        }
        Err(e) => Outcome::Fail(format!("the example `{name}`: {e}")),
    }
}
