//! The simulated CUDA driver in a folder of its own, under the name that a process looks for. It is no GPU: what runs on it
//! shows that the host's side is right, and nothing of speed.

use std::path::{Path, PathBuf};

use crate::cargo::linted;
use crate::table::Outcome;

/// What the GPU suite needs to take the driver in `dir` for libcuda, and to do little.
pub fn environment(dir: &Path) -> [(&'static str, PathBuf); 3] {
    [
        ("LD_LIBRARY_PATH", dir.to_path_buf()),
        ("OBSIDIAN_TEST_CUDA", PathBuf::from("1")),
        ("OBSIDIAN_TEST_SMALL", PathBuf::from("1")),
    ]
}

/// Builds it; gives the folder.
pub fn driver(root: &Path) -> Result<PathBuf, Outcome> {
    let failed = |why: String| Outcome::Fail(why);
    if !cfg!(target_os = "linux") {
        return Err(Outcome::Skip("the simulated driver is loaded by LD_LIBRARY_PATH, on Linux".into()));
    }
    // As the tests build it.
    let build = ["build", "--quiet", "-p", "obsidian-sim-cuda", "--profile", "test"];
    if let failed @ Outcome::Fail(_) = linted(root, &build, &[]) {
        return Err(failed);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
    let dir = target.join("xtask/sim-cuda");
    let copied = std::fs::create_dir_all(&dir)
        .and_then(|()| std::fs::copy(target.join("debug/libobsidian_sim_cuda.so"), dir.join("libcuda.so")));
    copied.map_err(|e| failed(e.to_string()))?;
    Ok(dir)
}

/// The GPU suite on it.
pub fn suite(root: &Path) -> Outcome {
    let dir = match driver(root) {
        Ok(dir) => dir,
        Err(outcome) => return outcome,
    };
    let environment = environment(&dir);
    let borrowed: Vec<(&str, &Path)> = environment.iter().map(|(name, value)| (*name, value.as_path())).collect();
    match linted(root, &["test", "--workspace", "--test", "gpu", "--", "--nocapture"], &borrowed) {
        Outcome::Pass(_) => Outcome::Pass("the GPU suite, small, on a simulation: no GPU has run".into()),
        other => other,
    }
}
