//! A program with a cudarc of its own, the oldest that Obsidian takes: that version shared with Obsidian, which has the newest otherwise, and
//! not shared. It runs on the simulated driver.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::simulated;
use crate::table::Outcome;

/// The versions at both ends of the range; the second is that of the workspace's lock file.
const VERSIONS: [&str; 2] = ["0.17.8", "0.19.10"];
/// What rustc says where two versions meet.
const APART: &str = "different versions of crate `cudarc`";

/// Builds and runs it in every way.
pub fn check(root: &Path) -> Outcome {
    let driver = match simulated::driver(root) {
        Ok(driver) => driver,
        Err(outcome) => return outcome,
    };
    let program = match Program::copied(root, driver) {
        Ok(program) => program,
        Err(why) => return Outcome::Fail(why),
    };
    if let Err(why) = program.cargo(&["fetch"]) {
        return Outcome::Skip(format!("cudarc {} cannot be had: {why}", VERSIONS[0]));
    }
    program.all().map_or_else(Outcome::Fail, |()| Outcome::Pass(format!("cudarc {} and {}", VERSIONS[0], VERSIONS[1])))
}

struct Program {
    folder: PathBuf,
    target: PathBuf,
    driver: PathBuf,
}

impl Program {
    /// A copy with the versions of the workspace, which cargo may change.
    fn copied(root: &Path, driver: PathBuf) -> Result<Program, String> {
        let (from, folder) = (root.join("tests/fixtures/cudarc"), root.join("target/xtask/cudarc"));
        let manifest = fs::read_to_string(from.join("Cargo.toml")).map_err(|e| e.to_string())?;
        let copy = || {
            fs::create_dir_all(folder.join("src/bin"))?;
            fs::write(folder.join("Cargo.toml"), manifest.replace("../../..", &root.display().to_string()))?;
            fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
            fs::read_dir(from.join("src/bin"))?
                .flatten()
                .try_for_each(|file| fs::copy(file.path(), folder.join("src/bin").join(file.file_name())).map(drop))
        };
        copy().map_err(|e: std::io::Error| e.to_string())?;
        // Where the tests of `obsidian-build` have built the macros for a package outside the workspace.
        Ok(Program { folder, target: root.join("target/tmp/stranger-target"), driver })
    }

    fn all(&self) -> Result<(), String> {
        self.says(&["run", "--quiet", "--bin", "apart", "--features", "apart"], "two cudarcs, on Simulated GPU")?;
        let refused = self.cargo(&["check", "--quiet", "--bin", "mistaken", "--features", "apart"]);
        match refused {
            Ok(_) => return Err("a slice of another cudarc was taken".to_string()),
            Err(said) if !said.contains(APART) => return Err(format!("rustc does not say `{APART}`: {said}")),
            Err(_) => {}
        }
        self.cargo(&["update", "--quiet", "-p", &format!("cudarc@{}", VERSIONS[1]), "--precise", VERSIONS[0]])?;
        self.says(&["run", "--quiet", "--bin", "shared"], "one cudarc, on Simulated GPU")
    }

    fn says(&self, args: &[&str], expected: &str) -> Result<(), String> {
        let said = self.cargo(args)?;
        if said.contains(expected) { Ok(()) } else { Err(format!("`{expected}` expected, found {said}")) }
    }

    /// What cargo and the program print, or their messages.
    fn cargo(&self, args: &[&str]) -> Result<String, String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.folder).args(args).env("CARGO_TARGET_DIR", &self.target);
        command.env("LD_LIBRARY_PATH", &self.driver).env("OBSIDIAN_SIM_CUDA", "devices=2");
        let Output { status, stdout, stderr } = command.output().map_err(|e| e.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if status.success() { Ok(text(&stdout)) } else { Err(text(&stderr)) }
    }
}
