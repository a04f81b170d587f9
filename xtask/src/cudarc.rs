//! A program with a cudarc of its own, the oldest that Obsidian takes: that version shared with Obsidian, which has the newest otherwise, and
//! not shared. It runs on the simulated driver.

use std::path::{Path, PathBuf};

use crate::outside::Outside;
use crate::simulated;
use crate::table::Outcome;

/// The versions at both ends of the range; the second is that of the workspace's lock file.
const VERSIONS: [&str; 2] = ["0.17.8", "0.19.10"];
/// What rustc says where two versions meet.
const DIFFERENT: &str = "different versions of crate `cudarc`";

/// Builds and runs it in every way.
pub fn check(root: &Path) -> Outcome {
    let environment = |driver| [("LD_LIBRARY_PATH", driver), ("OBSIDIAN_SIM_CUDA", PathBuf::from("devices=2"))];
    let program = simulated::driver(root).and_then(|driver| Outside::copied(root, "cudarc", &environment(driver)));
    match program.map(|program| all(&program)) {
        Ok(Ok(())) => Outcome::Pass(format!("cudarc {} and {}", VERSIONS[0], VERSIONS[1])),
        Ok(Err(why)) => Outcome::Fail(why),
        Err(outcome) => outcome,
    }
}

fn all(program: &Outside) -> Result<(), String> {
    program.says(&["run", "--quiet", "--bin", "apart", "--features", "apart"], "two cudarcs, on Simulated GPU")?;
    match program.cargo(&["check", "--quiet", "--bin", "mistaken", "--features", "apart"]) {
        Ok(_) => return Err("a slice of another cudarc was taken".to_string()),
        Err(said) if !said.contains(DIFFERENT) => return Err(format!("rustc does not say `{DIFFERENT}`: {said}")),
        Err(_) => {}
    }
    program.cargo(&["update", "--quiet", "-p", &format!("cudarc@{}", VERSIONS[1]), "--precise", VERSIONS[0]])?;
    program.says(&["run", "--quiet", "--bin", "shared"], "one cudarc, on Simulated GPU")
}
