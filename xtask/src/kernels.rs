//! Emitted kernels through NVIDIA's compilers: every PTX file by two versions of `ptxas` for each target, every CUDA C
//! file by NVRTC. A warning counts as a failure.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cores::on_all_cores;
use crate::process;
use crate::table::Outcome;
use crate::tools::Tools;

/// Of the variants that differ only in their threads, one in this many is assembled.
const SAMPLE: usize = 8;

/// What 12.9 assembles for; 13.0 dropped sm_70.
pub const TARGETS_12: [&str; 7] = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100"];
/// What 13.0 assembles for.
pub const TARGETS_13: [&str; 6] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100"];

/// Kernels whose phases ptxas has too few registers for: of 128 two are spilled. They must assemble.
const SPILLING: [&str; 1] = ["chained_scan"];
/// Of a kernel's variants the one with the number of threads nearest to this is assembled for all targets.
const USUAL: u32 = 64;

/// Assembles PTX files in `dir`: one variant of each kernel for every target; of the other variants one in [`SAMPLE`], for a
/// target in turn. All for all would take an hour. Spilled registers are an error in the former, but for [`SPILLING`].
pub fn assemble(ptxas: &Path, targets: &[&str], dir: &Path) -> Outcome {
    let files = files(dir, "ptx");
    if files.is_empty() {
        return Outcome::Fail("no PTX file was emitted".into());
    }
    let jobs = jobs(&files, targets);
    let assembled = |job: &Job<'_>| {
        assemble_one(ptxas, job).err().map(|why| format!("{} for {}: {why}", name(job.file), job.target))
    };
    let errors: Vec<String> = on_all_cores(&jobs, assembled).into_iter().flatten().collect();
    if errors.is_empty() {
        return Outcome::Pass(format!("{} runs on {} targets; only {SPILLING:?} may spill", jobs.len(), targets.len()));
    }
    Outcome::Fail(format!("{} of {} runs; first: {}", errors.len(), jobs.len(), errors.join("\n")))
}

/// A file to assemble, for a target, and whether spilled registers are a mistake.
struct Job<'a> {
    file: &'a Path,
    target: &'a str,
    spills: Spills,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Spills {
    Refused,
    Allowed,
}

/// What is assembled for what.
fn jobs<'a>(files: &'a [PathBuf], targets: &[&'a str]) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let targets: Vec<&str> = targets.iter().copied().filter(|t| runs_on(file, t)).collect();
        if is_usual(files, file) {
            let spills = if SPILLING.contains(&kernel(file).0) { Spills::Allowed } else { Spills::Refused };
            jobs.extend(targets.into_iter().map(|target| Job { file, target, spills }));
        } else if i % SAMPLE == 0 {
            // One thread that does the work of many, unrolled, may well spill.
            jobs.extend(targets.get(i % targets.len().max(1)).map(|&target| Job {
                file,
                target,
                spills: Spills::Allowed,
            }));
        }
    }
    jobs
}

/// Whether the file is for that target or an older one.
fn runs_on(file: &Path, target: &str) -> bool {
    let number = |name: &str| name.trim().strip_prefix("sm_").and_then(|n| n.parse::<u32>().ok());
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let own = text.lines().find_map(|l| l.strip_prefix(".target ")).and_then(number);
    own.zip(number(target)).is_none_or(|(own, target)| own <= target)
}

/// A kernel's name, and the number of threads of the variant, as its file says them.
fn kernel(file: &Path) -> (&str, u32) {
    let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    let digits = |at: usize| {
        let rest = &stem[at + 2..];
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse::<u32>().ok()
    };
    let found = stem.match_indices("_t").find_map(|(at, _)| Some((at, digits(at)?)));
    found.map_or((stem, USUAL), |(at, threads)| (&stem[..at], threads))
}

fn assemble_one(ptxas: &Path, job: &Job<'_>) -> Result<(), String> {
    let mut command = Command::new(ptxas);
    if job.spills == Spills::Refused {
        command.args(["--warn-on-spills", "--warning-as-error"]);
    }
    command.args(["-arch", job.target, "-o", "/dev/null"]).arg(job.file);
    let done = process::output(&mut command).map_err(|e| e.to_string())?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// Compiles every CUDA C file in `dir` with NVRTC, and the usual variants as one file, all in one Python process.
pub fn compile(tools: &Tools, root: &Path, dir: &Path) -> Outcome {
    let files = files(dir, "cu");
    if files.is_empty() {
        return Outcome::Fail("no CUDA C file was emitted".into());
    }
    let joined = match join(&files, &dir.join("joined")) {
        Ok(joined) => joined,
        Err(why) => return Outcome::Fail(format!("the kernels in one file: {why}")),
    };
    let mut command = Command::new(&tools.python);
    command.arg(root.join("xtask/nvrtc_check.py")).arg(&tools.nvrtc).args(&files).arg(joined);
    match process::output(&mut command) {
        Ok(done) if done.status.success() => {
            Outcome::Pass(format!("{} kernels, alone and in one file, NVRTC 13.0", files.len()))
        }
        Ok(done) => {
            Outcome::Fail(String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr))
        }
        Err(e) => Outcome::Fail(e.to_string()),
    }
}

/// Writes the texts of the usual variants behind one another into one file: helpers that many of them need stand in it once.
fn join(files: &[PathBuf], dir: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(dir)?;
    let mut text = String::new();
    for file in files.iter().filter(|file| is_usual(files, file)) {
        text += &std::fs::read_to_string(file)?;
    }
    let joined = dir.join("joined.cu");
    std::fs::write(&joined, text)?;
    Ok(joined)
}

/// Whether a file's variant is that of its kernel whose number of threads is nearest to the usual.
fn is_usual(files: &[PathBuf], file: &Path) -> bool {
    let (name, threads) = kernel(file);
    let all = files.iter().map(|f| kernel(f)).filter(|(other, _)| *other == name).map(|(_, threads)| threads);
    all.min_by_key(|t| t.abs_diff(USUAL)) == Some(threads)
}

/// The files in `dir` that end in `extension`, in order.
pub fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
    let mut found: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    found.sort();
    found
}

fn name(file: &Path) -> String {
    file.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned())
}
