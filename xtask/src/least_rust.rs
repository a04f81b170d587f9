//! The least Rust version that the manifests name is one that builds: all that can be published is built with it, its own kernels among
//! it, whose code the macro wrote. Clippy, which the check runs anyway, refuses what the standard library has only later.

use std::path::Path;
use std::process::Command;

use crate::packages::published;
use crate::process;
use crate::table::Outcome;

/// Builds every crate that can be published, with all of its features. A SKIP where rustup has not that version.
pub fn check(root: &Path) -> Outcome {
    let version = match version(root) {
        Ok(version) => version,
        Err(why) => return Outcome::Fail(why),
    };
    let names = match published(root) {
        Ok(names) => names,
        Err(why) => return Outcome::Fail(why),
    };
    let mut there = Command::new("rustup");
    there.args(["run", &version, "rustc", "--version"]);
    if !process::output(&mut there).is_ok_and(|done| done.status.success()) {
        return Outcome::Skip(format!("`rustup toolchain install {version} --profile minimal` has it"));
    }
    let mut command = Command::new("rustup");
    // What cargo tells about itself to what it runs would tell this toolchain's cargo of another.
    for told in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(told);
    }
    command.current_dir(root).args(["run", &version, "cargo", "build", "--quiet", "--all-features", "--target-dir"]);
    command.arg(root.join("target/xtask/least-rust")).args(names.iter().flat_map(|name| ["-p", name]));
    match process::status(&mut command) {
        Ok(status) if status.success() => Outcome::Pass(format!("{} crates with Rust {version}", names.len())),
        Ok(_) => Outcome::Fail(format!("not all builds with Rust {version}; the messages are above")),
        Err(e) => Outcome::Fail(e.to_string()),
    }
}

/// The version that the manifest of the workspace names.
fn version(root: &Path) -> Result<String, String> {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).map_err(|e| e.to_string())?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    line.map(|version| version.trim_matches('"').to_string()).ok_or("Cargo.toml names no `rust-version`".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_says_what_the_manifests_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let version = version(&root).expect("a version");
        for (file, line) in
            [("README.md", format!("Rust {version},")), ("obsidian-mpi/Cargo.toml", format!("\"{version}\""))]
        {
            let text = std::fs::read_to_string(root.join(file)).expect("a file");
            assert!(text.contains(&line), "{file} does not say {version}");
        }
    }
}
