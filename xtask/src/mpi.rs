//! The ranks of MPI: Open MPI and libclang as the system has them, or from the system's packages where this may install them; the tests and
//! the bench of the package `obsidian-mpi`, which is a workspace of its own.

use std::path::Path;
use std::process::Command;

use crate::table::{Outcome, Report};
use crate::tools::run;

/// What the package needs, on Debian.
const PACKAGES: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];
const MANIFEST: &str = "obsidian-mpi/Cargo.toml";

/// Clippy, also of NCCL's side, and the tests, which run the examples on 1 to 4 ranks.
pub fn suite(root: &Path) -> Outcome {
    let nccl = ["clippy", "-p", "obsidian-runtime", "--features", "nccl", "--profile", "test", "--", "-D", "warnings"];
    if let failed @ Outcome::Fail(_) = cargo(root, &nccl) {
        return failed;
    }
    if let Err(outcome) = get() {
        return outcome;
    }
    let format = ["fmt", "--manifest-path", MANIFEST, "--", "--check"];
    if let failed @ Outcome::Fail(_) = cargo(root, &format) {
        return failed;
    }
    let clippy = ["clippy", "--release", "--manifest-path", MANIFEST, "--", "-D", "warnings"];
    match cargo(root, &clippy) {
        Outcome::Pass(_) => cargo(root, &["test", "--release", "--manifest-path", MANIFEST]),
        other => other,
    }
}

/// Measures exchanges and functions over ranks: on 1, 2 and 4 ranks, each of which computes on one core.
pub fn bench(root: &Path) -> Report {
    let mut report = Report::default();
    report.run("MPI", || get().map_or_else(|outcome| outcome, |()| Outcome::Pass("Open MPI, libclang".into())));
    let build = ["build", "--release", "--manifest-path", MANIFEST, "--example", "bench_ranks"];
    report.run("build", || cargo(root, &build));
    let program = target(root).join("release/examples/bench_ranks");
    for ranks in ["1", "2", "4"] {
        report.run("bench: ranks", || {
            let mut command = Command::new("mpirun");
            command.args(["--oversubscribe", "--allow-run-as-root", "-np", ranks]).arg(&program);
            command.envs([("OBSIDIAN_BACKEND", "cpu"), ("RAYON_NUM_THREADS", "1")]);
            command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
            match command.status() {
                Ok(status) if status.success() => Outcome::Pass(format!("{ranks} ranks")),
                Ok(status) => Outcome::Fail(format!("{ranks} ranks: {status}")),
                Err(e) => Outcome::Fail(e.to_string()),
            }
        });
    }
    report
}

/// Finds what is needed, and installs it where it is missing. `Err`: a skip where it cannot be had here, a failure where it was installed
/// and is not there.
fn get() -> Result<(), Outcome> {
    if is_there() {
        return Ok(());
    }
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--quiet", "--no-install-recommends"]).args(PACKAGES);
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    run(&mut apt, "apt-get install of Open MPI and libclang").map_err(Outcome::Skip)?;
    if is_there() { Ok(()) } else { Err(Outcome::Fail("the packages do not hold mpicc, mpirun and libclang".into())) }
}

fn is_there() -> bool {
    let runs = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    runs("mpirun") && runs("mpicc") && has_libclang()
}

/// Where Debian keeps libclang, or as the variable says that bindgen reads.
fn has_libclang() -> bool {
    let below = |folder: &str| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let versions = below("/usr/lib").filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm-"));
    let holds = |folder: &Path| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files.map(|file| file.file_name().to_string_lossy().into_owned()).any(|name| name.starts_with("libclang.so"))
    };
    std::env::var_os("LIBCLANG_PATH").is_some() || versions.map(|entry| entry.path().join("lib")).any(|lib| holds(&lib))
}

/// Where the examples are built: beside the workspace's, so that what the two share is built once.
fn target(root: &Path) -> std::path::PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir))
}

fn cargo(root: &Path, args: &[&str]) -> Outcome {
    crate::steps::cargo(root, args, &[("CARGO_TARGET_DIR", target(root).as_path())])
}
