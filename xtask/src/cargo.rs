//! Cargo as the tasks call it: plainly, or with clippy's lints while it compiles.

use std::path::Path;
use std::process::Command;

use crate::process;
use crate::table::Outcome;

/// A way of calling cargo: the workspace, arguments, variables.
pub type Cargo = fn(&Path, &[&str], &[(&str, &Path)]) -> Outcome;

/// Has clippy's driver, which is rustc with lints, compile the crates of the workspace.
const BY_CLIPPY: [&str; 2] = ["--config", "build.rustc-workspace-wrapper=\"clippy-driver\""];
/// What `cargo clippy -- -D warnings` tells the driver: arguments, each with this mark behind it.
const DENY_WARNINGS: (&str, &str) = ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");

/// Cargo with these arguments.
pub fn cargo(root: &Path, args: &[&str], env: &[(&str, &Path)]) -> Outcome {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(args).envs(env.iter().copied());
    // Behind `--config` and what it sets.
    let name = args.iter().skip_while(|arg| arg.starts_with("--") || arg.contains('='));
    match process::status(&mut command) {
        Ok(status) if status.success() => {
            Outcome::Pass(format!("cargo {}", name.take(3).copied().collect::<Vec<_>>().join(" ")))
        }
        Ok(_) => {
            Outcome::Fail(format!("cargo {} failed; its messages are above", name.take(1).copied().collect::<String>()))
        }
        Err(e) => Outcome::Fail(e.to_string()),
    }
}

/// The same, and a warning of rustc or clippy in a crate of the workspace is an error. `cargo clippy` would check every crate once more, and with
/// it expand every kernel.
pub fn linted(root: &Path, args: &[&str], env: &[(&str, &Path)]) -> Outcome {
    let (variable, value) = DENY_WARNINGS;
    let env: Vec<(&str, &Path)> = env.iter().copied().chain([(variable, Path::new(value))]).collect();
    cargo(root, &[&BY_CLIPPY, args].concat(), &env)
}
