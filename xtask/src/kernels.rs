//! Emitted kernels through NVIDIA's compilers: every PTX file by two versions of `ptxas` for each target, every CUDA C
//! file by NVRTC. A warning counts as a failure.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::table::Outcome;
use crate::tools::Tools;

/// What 12.9 assembles for; 13.0 dropped sm_70.
pub const TARGETS_12: [&str; 7] = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100"];
/// What 13.0 assembles for.
pub const TARGETS_13: [&str; 6] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100"];

/// Kernels that ptxas has no registers for: their phases all depend on the thread alone, and it computes the addresses and
/// conditions of all of them before the loop over virtual blocks. They must assemble; that they spill is known.
const SPILLING: [&str; 3] = ["sklansky", "sorted_t33", "sorted_t512"];

/// Assembles the PTX files in `dir`: one variant of each kernel for every target, the others for the oldest and one more,
/// which takes turns. Spilled registers are an error, but for [`SPILLING`].
pub fn assemble(ptxas: &Path, targets: &[&str], dir: &Path) -> Outcome {
    let files = files(dir, "ptx");
    if files.is_empty() {
        return Outcome::Fail("no PTX file was emitted".into());
    }
    let jobs = jobs(&files, targets);
    let errors = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some((file, target)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(why) = assemble_one(ptxas, file, target)
                && let Ok(mut list) = errors.lock()
            {
                list.push(format!("{} for {target}: {why}", name(file)));
            }
        }
    };
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(worker);
        }
    });
    let errors = errors.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if errors.is_empty() {
        let spilling = files.iter().filter(|f| SPILLING.iter().any(|k| name(f) == format!("{k}.ptx"))).count();
        let count =
            format!("{} files, {} runs on {} targets; {spilling} may spill", files.len(), jobs.len(), targets.len());
        return Outcome::Pass(count);
    }
    Outcome::Fail(format!("{} of {} runs; first: {}", errors.len(), jobs.len(), errors.join("\n")))
}

/// What is assembled for what.
fn jobs<'a>(files: &'a [PathBuf], targets: &[&'a str]) -> Vec<(&'a PathBuf, &'a str)> {
    let mut seen = HashSet::new();
    let mut jobs = Vec::new();
    for (i, file) in files.iter().enumerate() {
        if seen.insert(kernel(&name(file)).to_string()) {
            jobs.extend(targets.iter().map(|&t| (file, t)));
        } else if let [oldest, others @ ..] = targets {
            jobs.push((file, *oldest));
            jobs.extend(others.get(i % others.len().max(1)).map(|&t| (file, t)));
        }
    }
    jobs
}

/// A kernel's name: that of its file up to the number of threads.
fn kernel(file: &str) -> &str {
    let threads = file.match_indices("_t").find(|(at, _)| file[at + 2..].starts_with(|c: char| c.is_ascii_digit()));
    threads.map_or(file, |(at, _)| &file[..at])
}

fn assemble_one(ptxas: &Path, file: &Path, target: &str) -> Result<(), String> {
    let mut command = Command::new(ptxas);
    let spills = file.file_stem().is_some_and(|stem| SPILLING.iter().any(|&known| stem == known));
    if !spills {
        command.args(["--warn-on-spills", "--warning-as-error"]);
    }
    command.args(["-arch", target, "-o", "/dev/null"]).arg(file);
    let done = command.output().map_err(|e| e.to_string())?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// Compiles every CUDA C file in `dir` with NVRTC, all in one Python process.
pub fn compile(tools: &Tools, root: &Path, dir: &Path) -> Outcome {
    let files = files(dir, "cu");
    if files.is_empty() {
        return Outcome::Fail("no CUDA C file was emitted".into());
    }
    let mut command = Command::new(&tools.python);
    command.arg(root.join("xtask/nvrtc_check.py")).arg(&tools.nvrtc).args(&files);
    match command.output() {
        Ok(done) if done.status.success() => Outcome::Pass(format!("{} kernels, NVRTC 13.0", files.len())),
        Ok(done) => {
            Outcome::Fail(String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr))
        }
        Err(e) => Outcome::Fail(e.to_string()),
    }
}

/// The files in `dir` that end in `extension`, in order.
fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
    let mut found: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    found.sort();
    found
}

fn name(file: &Path) -> String {
    file.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned())
}
