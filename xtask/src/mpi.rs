//! The ranks of MPI: Open MPI and libclang as the system has them, or from the system's packages where this may install them; the tests and
//! the bench of the package `obsidian-mpi`, which is a workspace of its own. Its tests are built as part of this workspace, by `tests/mpi`: the
//! compiler and the kernels of `obsidian-algorithms` are there already.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::linted;
use crate::process;
use crate::table::{Outcome, Report};
use crate::tools::install_packages;

/// What the package needs, on Debian.
const PACKAGES: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];
const MANIFEST: &str = "obsidian-mpi/Cargo.toml";

/// Clippy, also of NCCL's side, and the tests, which run the examples on 1 to 4 ranks.
pub fn suite(root: &Path) -> Outcome {
    let nccl = ["clippy", "-p", "obsidian-runtime", "--features", "nccl", "--profile", "test", "--", "-D", "warnings"];
    if let failed @ Outcome::Fail(_) = cargo(root, &nccl) {
        return failed;
    }
    let libclang = match get() {
        Ok(libclang) => libclang,
        Err(outcome) => return outcome,
    };
    let format = ["fmt", "--manifest-path", MANIFEST, "--", "--check"];
    if let failed @ Outcome::Fail(_) = cargo(root, &format) {
        return failed;
    }
    let env = [(LIBCLANG, libclang.as_path())];
    let examples = EXAMPLES.map(|name| ["--example", name]).concat();
    match linted(root, &[&["build", "--profile", "test"], &WITH_RANKS[..], &examples].concat(), &env) {
        Outcome::Pass(_) => {
            linted(root, &[&["test"], &WITH_RANKS[..], &["--test", "mpirun", "--test", "paired"]].concat(), &env)
        }
        other => other,
    }
}

/// The member that builds them.
pub const PACKAGE: &str = "obsidian-mpi-tests";
/// The workspace with the package that needs an MPI.
const WITH_RANKS: [&str; 5] = ["--workspace", "--exclude", "obsidian-ir", "--features", "obsidian-mpi-tests/mpi"];
/// What the tests run on ranks.
const EXAMPLES: [&str; 6] = ["bench_ranks", "failures", "life_on_ranks", "same_bits", "sort_file", "sum_of_ranks"];

/// Measures exchanges and functions over ranks: on 1, 2 and 4 ranks, each of which computes on one core.
pub fn bench(root: &Path) -> Report {
    let mut report = Report::default();
    let build = ["build", "--release", "--manifest-path", MANIFEST, "--example", "bench_ranks"];
    report.run("build", || get().map_or_else(|outcome| outcome, |libclang| with_libclang(root, &libclang, &build)));
    let program = target(root).join("release/examples/bench_ranks");
    for ranks in ["1", "2", "4"] {
        report.run("bench: ranks", || {
            let mut command = Command::new("mpirun");
            command.args(["--oversubscribe", "--allow-run-as-root", "-np", ranks]).arg(&program);
            command.envs([("OBSIDIAN_BACKEND", "cpu"), ("RAYON_NUM_THREADS", "1")]);
            command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
            match process::status(&mut command) {
                Ok(status) if status.success() => Outcome::Pass(format!("{ranks} ranks")),
                Ok(status) => Outcome::Fail(format!("{ranks} ranks: {status}")),
                Err(e) => Outcome::Fail(e.to_string()),
            }
        });
    }
    report
}

/// Finds what is needed, and installs it where it is missing: the folder of libclang. `Err`: a skip where it cannot be had here, a failure where it was installed
/// and is not there.
fn get() -> Result<PathBuf, Outcome> {
    if let Some(libclang) = find() {
        return Ok(libclang);
    }
    install_packages(&PACKAGES).map_err(Outcome::Skip)?;
    find().ok_or_else(|| Outcome::Fail("the packages do not hold mpicc, mpirun and libclang".into()))
}

fn find() -> Option<PathBuf> {
    let runs = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    (runs("mpirun") && runs("mpicc")).then(libclang).flatten()
}

/// The variable by which bindgen is told where libclang is.
const LIBCLANG: &str = "LIBCLANG_PATH";

/// The folder of a libclang that has its headers beside it: as the variable says, or where Debian keeps one for development. Others may be
/// installed as parts of drivers, without headers.
fn libclang() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(LIBCLANG) {
        return Some(folder.into());
    }
    let versions = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path().join("lib"));
    let is_whole = |lib: &PathBuf| lib.join("libclang.so").exists() && lib.join("clang").is_dir();
    versions.filter(is_whole).max()
}

/// Where the examples are built: beside the workspace's, so that what the two share is built once.
pub fn target(root: &Path) -> std::path::PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir))
}

fn with_libclang(root: &Path, libclang: &Path, args: &[&str]) -> Outcome {
    crate::cargo::cargo(root, args, &[("CARGO_TARGET_DIR", target(root).as_path()), (LIBCLANG, libclang)])
}

fn cargo(root: &Path, args: &[&str]) -> Outcome {
    crate::cargo::cargo(root, args, &[("CARGO_TARGET_DIR", target(root).as_path())])
}
