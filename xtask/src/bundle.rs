//! One folder, and an archive of it, for a machine with a GPU and CUDA's toolkit but no Rust: the GPU suite and the GPU bench as
//! stripped binaries that need only glibc, all PTX, the baseline's source, and the script that runs it all.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::simulated;
use crate::table::{Outcome, Report};

/// The folder's name, and the archive's.
const NAME: &str = "obsidian-gpu";
/// What the binaries may be linked with: glibc's own and the compiler's.
const ALLOWED: [&str; 7] = ["linux-vdso", "ld-linux", "libc.so", "libm.so", "libgcc_s.so", "libpthread.so", "libdl.so"];
/// The device machine's limit on what travels.
const MAX_MIB: u64 = 64;
/// The programs that run under compute-sanitizer: each way of using shared memory, barriers, shuffles, atomics and guards.
const SANITIZED: &str = "reductions sum_red7 two_stage sklansky kogge_stone_push brent_kung bitonic vsort_push lanes_reduce_u64 \
                         lanes_scan_compose lanes_and_memory padded_tiles counted gathered atomics chained_scan swapped_in_place \
                         transposed reversed saxpy_four tuned_reduce tuned_scan";
/// How the binaries are built. What the programs compute on the CPU is not run there, so it need not be fast.
const BUILD: [&str; 5] = [
    "--release",
    "--config",
    "profile.release.strip=\"symbols\"",
    "--config",
    "profile.release.package.obsidian-programs.opt-level=1",
];

/// Makes the folder and the archive under `target/bundle`.
pub fn bundle(root: &Path) -> Report {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
    let dir = target.join("bundle").join(NAME);
    let mut report = Report::default();
    report.run("empty folder", || done(emptied(&dir), "empty"));
    report.run("build", || match build(root, &dir) {
        Ok(()) => Outcome::Pass("gpu-test, gpu-bench".into()),
        Err(why) => Outcome::Fail(why),
    });
    report.run("libraries", || libraries(&dir));
    report.run("PTX", || ptx(&dir));
    report.run("files", || done(files(root, &dir), "baseline, run.sh"));
    report.run("try", || tried(&dir));
    report.run("try: simulated", || simulated(root, &dir));
    report.run("archive", || archive(&dir));
    report
}

fn done(result: std::io::Result<()>, note: &str) -> Outcome {
    match result {
        Ok(()) => Outcome::Pass(note.into()),
        Err(e) => Outcome::Fail(e.to_string()),
    }
}

fn emptied(dir: &Path) -> std::io::Result<()> {
    if dir.exists() {
        std::fs::remove_dir_all(dir)?;
    }
    std::fs::create_dir_all(dir)
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Builds the two binaries and copies them to where their messages say they are.
fn build(root: &Path, dir: &Path) -> Result<(), String> {
    let mut command = cargo(root);
    command
        .args(["build", "-p", "obsidian-tests", "--test", "gpu", "-p", "obsidian-benches", "--bench", "gpu"])
        // With the others, so that the programs are built once.
        .args(["-p", "obsidian-programs", "--example", "emit"])
        .arg("--message-format=json-render-diagnostics")
        .args(BUILD);
    let done = command.stderr(std::process::Stdio::inherit()).output().map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err("cargo build failed; its messages are above".into());
    }
    let messages = String::from_utf8_lossy(&done.stdout);
    for (kind, target, to) in
        [("test", "gpu", dir.join("gpu-test")), ("bench", "gpu", dir.join("gpu-bench")), ("example", "emit", emit(dir))]
    {
        let missing = || format!("cargo does not say where the {kind} `{target}` is");
        let built = executable(&messages, kind, target).ok_or_else(missing)?;
        std::fs::copy(&built, to).map_err(|e| format!("{}: {e}", built.display()))?;
    }
    Ok(())
}

/// Where the example that writes the PTX is kept: beside the bundle, which does not need it.
fn emit(dir: &Path) -> PathBuf {
    dir.with_file_name("emit")
}

/// The executable of a target of a kind, found in cargo's messages, one per line.
fn executable(messages: &str, kind: &str, target: &str) -> Option<PathBuf> {
    let of_target = |line: &&str| {
        line.contains(&format!("\"kind\":[\"{kind}\"]")) && line.contains(&format!("\"name\":\"{target}\""))
    };
    let line = messages.lines().filter(of_target).find(|line| line.contains("\"executable\":\""))?;
    let (_, rest) = line.split_once("\"executable\":\"")?;
    Some(PathBuf::from(rest.split_once('"')?.0))
}

/// What the binaries are linked with, and how new a glibc they ask for.
fn libraries(dir: &Path) -> Outcome {
    let mut newest = (0, 0);
    for name in ["gpu-test", "gpu-bench"] {
        let path = dir.join(name);
        let listed = match Command::new("ldd").arg(&path).output() {
            Ok(done) => String::from_utf8_lossy(&done.stdout).into_owned(),
            Err(e) => return Outcome::Fail(format!("ldd: {e}")),
        };
        if let Some(other) = foreign(&listed) {
            return Outcome::Fail(format!("{name} needs {other}"));
        }
        match std::fs::read(&path) {
            Ok(bytes) => newest = newest.max(glibc(&bytes)),
            Err(e) => return Outcome::Fail(e.to_string()),
        }
    }
    let text = format!("{}.{}", newest.0, newest.1);
    match std::fs::write(dir.join("glibc.txt"), format!("{text}\n")) {
        Ok(()) => Outcome::Pass(format!("glibc {text} or newer, nothing else")),
        Err(e) => Outcome::Fail(e.to_string()),
    }
}

/// The first library in ldd's list that is not allowed.
fn foreign(listed: &str) -> Option<&str> {
    let names = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .map(|path| path.rsplit('/').next().unwrap_or(path));
    names.into_iter().find(|name| !ALLOWED.iter().any(|allowed| name.starts_with(allowed)))
}

/// The newest version of glibc among the symbol versions in a binary.
fn glibc(bytes: &[u8]) -> (u32, u32) {
    const MARK: &[u8] = b"GLIBC_";
    let version = |at: usize| {
        let text = &bytes[at + MARK.len()..];
        let end = text.iter().position(|&b| !(b.is_ascii_digit() || b == b'.'))?;
        let mut parts = std::str::from_utf8(&text[..end]).ok()?.split('.').map(|part| part.parse().ok());
        Some((parts.next()??, parts.next()??))
    };
    let marks = (0..bytes.len().saturating_sub(MARK.len())).filter(|&at| bytes[at..].starts_with(MARK));
    marks.filter_map(version).max().unwrap_or((0, 0))
}

/// The PTX of every variant of every program, and of the bench's kernels, as the binaries hold it.
fn ptx(dir: &Path) -> Outcome {
    let to = dir.join("ptx");
    match Command::new(emit(dir)).arg("--dir").arg(&to).status() {
        Ok(status) if status.success() => {}
        Ok(_) => return Outcome::Fail("the example `emit` failed; its messages are above".into()),
        Err(e) => return Outcome::Fail(e.to_string()),
    }
    if !Command::new(dir.join("gpu-bench")).arg("--ptx").arg(&to).status().is_ok_and(|status| status.success()) {
        return Outcome::Fail("gpu-bench --ptx failed".into());
    }
    let mut count = 0;
    for entry in std::fs::read_dir(&to).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|e| e == "ptx") {
            count += 1;
        } else if let Err(e) = std::fs::remove_file(entry.path()) {
            return Outcome::Fail(e.to_string());
        }
    }
    if count == 0 { Outcome::Fail("no PTX was written".into()) } else { Outcome::Pass(format!("{count} files")) }
}

/// What is not built: sources, the script, what it reads.
fn files(root: &Path, dir: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(dir.join("baseline"))?;
    for source in ["baseline.cu", "matrix_product.cu"] {
        std::fs::copy(root.join("benches/cuda").join(source), dir.join("baseline").join(source))?;
    }
    std::fs::copy(root.join("xtask/run.sh"), dir.join("run.sh"))?;
    std::fs::write(dir.join("sanitized.txt"), format!("{SANITIZED}\n"))?;
    let commit = Command::new("git").current_dir(root).args(["describe", "--always", "--dirty"]).output()?;
    std::fs::write(dir.join("commit.txt"), commit.stdout)
}

/// Runs the suite from the folder. Without a GPU that shows that it starts and has the programs to be checked; then the bench
/// must fail, and so must the script, each with its reason.
fn tried(dir: &Path) -> Outcome {
    let run = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(dir).env_remove("OBSIDIAN_TEST_CUDA").env("OBSIDIAN_TEST_KERNELS", SANITIZED);
        command
    };
    let suite = match run("./gpu-test").arg("--nocapture").output() {
        Ok(done) if done.status.success() => String::from_utf8_lossy(&done.stdout).into_owned(),
        Ok(done) => return Outcome::Fail(format!("gpu-test: {}", String::from_utf8_lossy(&done.stdout))),
        Err(e) => return Outcome::Fail(e.to_string()),
    };
    if !suite.lines().any(|line| line.contains("SKIP: ")) {
        return Outcome::Pass("a part of the suite ran on the GPU here".into());
    }
    let mut reasons = Vec::new();
    for program in ["./gpu-bench", "./run.sh"] {
        match run(program).output() {
            Ok(done) if done.status.success() => return Outcome::Fail(format!("{program} succeeds without a GPU")),
            Ok(done) => {
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                reasons.push(said.lines().last().unwrap_or("nothing said").to_owned());
            }
            Err(e) => return Outcome::Fail(format!("{program}: {e}")),
        }
    }
    Outcome::Pass(format!("no GPU here, and they say so: {}", reasons.join("; ")))
}

/// Runs the script's suite from the folder on the simulated driver, with a stand-in for `nvidia-smi`. That shows that the binaries
/// find a driver by its name and that the script goes through; no GPU runs.
fn simulated(root: &Path, dir: &Path) -> Outcome {
    let driver = match simulated::driver(root) {
        Ok(driver) => driver,
        Err(outcome) => return outcome,
    };
    let results = driver.join("results");
    if let Err(e) = stand_in(&driver.join("nvidia-smi")) {
        return Outcome::Fail(e.to_string());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(driver.clone()).chain(std::env::split_paths(&path)));
    let mut command = Command::new("./run.sh");
    command.arg("suite").current_dir(dir).envs(simulated::environment(&driver)).env("RESULTS", &results);
    command.env("PATH", path.unwrap_or_default()).env_remove("OBSIDIAN_TEST_KERNELS");
    match command.output() {
        Ok(done) if done.status.success() && summary(&done.stdout) => {
            Outcome::Pass("run.sh suite, small, on a simulation: no GPU has run".into())
        }
        Ok(done) => Outcome::Fail(format!("run.sh suite on the simulated driver: {}", tail(&done))),
        Err(e) => Outcome::Fail(format!("run.sh: {e}")),
    }
}

/// Whether the script's summary says that the suite has passed, on a device that says that it is simulated.
fn summary(said: &[u8]) -> bool {
    let said = String::from_utf8_lossy(said);
    said.lines().any(|line| line.starts_with("PASS  suite")) && said.contains("variants on Simulated GPU")
}

fn tail(done: &std::process::Output) -> String {
    let said = [&done.stdout[..], &done.stderr[..]].map(String::from_utf8_lossy).concat();
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

/// A program that names one GPU, as `nvidia-smi -L` does.
fn stand_in(path: &Path) -> std::io::Result<()> {
    std::fs::write(path, "#!/bin/sh\necho 'GPU 0: Simulated GPU'\n")?;
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// Packs the folder. Larger than the device tool carries is no failure, but worth a word.
fn archive(dir: &Path) -> Outcome {
    let Some(parent) = dir.parent() else { return Outcome::Fail("the bundle has no folder".into()) };
    let file = format!("{NAME}.tar.gz");
    let done = Command::new("tar").current_dir(parent).args(["-czf", &file, NAME]).status();
    if !done.as_ref().is_ok_and(std::process::ExitStatus::success) {
        return Outcome::Fail(format!("tar: {done:?}"));
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let packed = std::fs::metadata(parent.join(&file)).map_or(0, |about| mib(about.len()));
    let whole = mib(size(dir));
    let note =
        if whole > MAX_MIB { format!(", the folder is over {MAX_MIB} MiB: take the archive") } else { String::new() };
    Outcome::Pass(format!("{}: {whole} MiB, packed {packed} MiB{note}", parent.join(NAME).display()))
}

/// Bytes of all files in a folder.
fn size(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.metadata().map_or(0, |about| if about.is_dir() { size(&entry.path()) } else { about.len() }))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_found_by_kind() {
        let messages = r#"{"reason":"compiler-artifact","target":{"kind":["bench"],"name":"gpu"},"executable":"/t/gpu-1"}
{"reason":"compiler-artifact","target":{"kind":["test"],"name":"gpu"},"executable":null}
{"reason":"compiler-artifact","target":{"kind":["test"],"name":"gpu"},"executable":"/t/gpu-2"}
{"reason":"compiler-artifact","target":{"kind":["test"],"name":"ptx"},"executable":"/t/ptx-3"}"#;
        assert_eq!(executable(messages, "test", "gpu"), Some(PathBuf::from("/t/gpu-2")));
        assert_eq!(executable(messages, "bench", "gpu"), Some(PathBuf::from("/t/gpu-1")));
        assert_eq!(executable(messages, "bench", "cpu"), None);
    }

    #[test]
    fn libraries_beyond_glibc_are_found() {
        let own = "\tlinux-vdso.so.1 (0x1)\n\tlibgcc_s.so.1 => /lib/libgcc_s.so.1 (0x2)\n\t/lib64/ld-linux-x86-64.so.2 (0x3)\n";
        assert_eq!(foreign(own), None);
        assert_eq!(foreign(&format!("{own}\tlibstdc++.so.6 => /lib/libstdc++.so.6 (0x4)\n")), Some("libstdc++.so.6"));
    }

    #[test]
    fn a_suite_on_no_simulation_does_not_count() {
        assert!(summary(b"972 variants on Simulated GPU (device 0)\nPASS  suite  9 s\n"));
        assert!(!summary(b"972 variants on Simulated GPU (device 0)\nFAIL  suite  9 s\n"));
        assert!(!summary(b"SKIP: no driver\nPASS  suite  9 s\n"));
    }

    #[test]
    fn the_newest_glibc_is_a_number_not_a_text() {
        assert_eq!(glibc(b"..GLIBC_2.9\0GLIBC_2.17\0GLIBC_PRIVATE\0"), (2, 17));
        assert_eq!(glibc(b"none"), (0, 0));
    }
}
