//! Emitted kernels through NVIDIA's compilers: every PTX file by two versions of `ptxas` for each target, every CUDA C
//! file by NVRTC. A warning counts as a failure.

use std::collections::{BTreeMap, BTreeSet};
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

/// Files that one run assembles, at most: two fifths of a run for a file alone are the program's own start.
const BATCH: usize = 24;
/// Of a kernel's variants the one with the number of threads nearest to this is assembled for all targets.
const USUAL: u32 = 64;

/// Assembles PTX files in `dir`: one variant of each kernel for every target; of the other variants one in [`SAMPLE`], for a
/// target in turn. All for all would take an hour. Spilled registers are an error in the former.
pub fn assemble(ptxas: &Path, targets: &[&str], dir: &Path) -> Outcome {
    let files = files(dir, "ptx");
    if files.is_empty() {
        return Outcome::Fail("no PTX file was emitted".into());
    }
    let jobs = jobs(&files, targets);
    let batches = batches(&jobs);
    let errors: Vec<String> = on_all_cores(&batches, |batch| mistakes(ptxas, batch)).into_iter().flatten().collect();
    if errors.is_empty() {
        let (jobs, runs, targets) = (jobs.len(), batches.len(), targets.len());
        return Outcome::Pass(format!("{jobs} kernels in {runs} runs on {targets} targets; none spills"));
    }
    Outcome::Fail(format!("{} of {} kernels; first: {}", errors.len(), jobs.len(), errors.join("\n")))
}

/// A file to assemble, for a target, and whether spilled registers are a mistake.
struct Job<'a> {
    file: &'a Path,
    target: &'a str,
    spills: Spills,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
            jobs.extend(targets.into_iter().map(|target| Job { file, target, spills: Spills::Refused }));
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

/// Jobs that one run does, and the functions of their files.
#[derive(Default)]
struct Batch<'j> {
    jobs: Vec<&'j Job<'j>>,
    functions: BTreeSet<String>,
}

/// What each run does: files for one target, no function of which is in two of them.
fn batches<'j>(jobs: &'j [Job<'j>]) -> Vec<Vec<&'j Job<'j>>> {
    let mut open: BTreeMap<(&str, Spills), Batch<'j>> = BTreeMap::new();
    let mut full = Vec::new();
    for job in jobs {
        let batch = open.entry((job.target, job.spills)).or_default();
        let functions = functions(job.file);
        if batch.jobs.len() == BATCH || functions.iter().any(|name| batch.functions.contains(name)) {
            full.push(std::mem::take(batch).jobs);
        }
        batch.jobs.push(job);
        batch.functions.extend(functions);
    }
    full.extend(open.into_values().map(|batch| batch.jobs));
    full
}

/// The names of a PTX file's functions.
fn functions(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let names = text.lines().filter_map(|line| line.split_once(".entry ").or(line.split_once(".func ")));
    names.map(|(_, rest)| rest.split(['(', ' ']).next().unwrap_or_default().to_owned()).collect()
}

/// What ptxas says against the files of a batch. Where it says something, each is asked again alone, since it need not tell which it means.
fn mistakes(ptxas: &Path, batch: &[&Job<'_>]) -> Vec<String> {
    let Err(together) = run_ptxas(ptxas, batch) else { return Vec::new() };
    let alone = |job: &&Job<'_>| {
        run_ptxas(ptxas, &[job]).err().map(|why| format!("{} for {}: {why}", name(job.file), job.target))
    };
    let alone: Vec<String> = batch.iter().filter_map(alone).collect();
    if alone.is_empty() { vec![together] } else { alone }
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

fn run_ptxas(ptxas: &Path, batch: &[&Job<'_>]) -> Result<(), String> {
    let Some(first) = batch.first() else { return Ok(()) };
    let mut command = Command::new(ptxas);
    if first.spills == Spills::Refused {
        command.args(["--warn-on-spills", "--warning-as-error"]);
    }
    command.args(["-arch", first.target, "-o", "/dev/null"]).args(batch.iter().map(|job| job.file));
    let done = process::output(&mut command).map_err(|e| e.to_string())?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// Compiles every CUDA C file in `dir` with NVRTC, and the usual variants as one file, all in one Python process. Nobody looks at the code,
/// so little time goes into it.
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
    command.arg(root.join("xtask/nvrtc_check.py")).arg(&tools.nvrtc);
    command.args(["--with", "--Ofast-compile=mid"]).args(&files).arg(joined);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_files_of_one_target_without_a_function_twice() {
        let folder = std::env::temp_dir().join(format!("obsidian-batches-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        let file = |name: &str, functions: &[&str]| {
            let text: String = functions.iter().map(|f| format!(".visible .entry {f}(\n)\n{{\n}}\n")).collect();
            std::fs::write(folder.join(name), text).expect("a temporary file");
            folder.join(name)
        };
        let files = [file("one", &["a", "b"]), file("two", &["c"]), file("three", &["b"]), file("four", &["d"])];
        let job = |file, target, spills| Job { file, target, spills };
        let of = |target, spills| files.iter().map(move |file| job(file, target, spills));
        let jobs: Vec<_> = of("sm_80", Spills::Refused).chain(of("sm_90", Spills::Allowed)).collect();
        let batches = batches(&jobs);
        let _ = std::fs::remove_dir_all(&folder);
        let named: Vec<_> = batches
            .iter()
            .map(|batch| (batch[0].target, batch.iter().map(|job| name(job.file)).collect::<Vec<_>>()))
            .collect();
        let expected = |target| {
            [(target, vec!["one".to_owned(), "two".to_owned()]), (target, vec!["three".to_owned(), "four".to_owned()])]
        };
        let all: Vec<_> = ["sm_80", "sm_90"].into_iter().flat_map(expected).collect();
        assert_eq!(named.len(), all.len());
        assert!(all.iter().all(|batch| named.contains(batch)), "{named:?}");
    }
}
