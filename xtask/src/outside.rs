//! Packages outside of the workspace, as users have them: the programs of `tests/fixtures` that bring a library of their own. Each is copied,
//! takes the versions of the workspace's lock file where that has one, and is built where `trybuild` and the tests of `obsidian-build`
//! build theirs, so that the macros are there already.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::process;
use crate::table::Outcome;

pub struct Outside {
    folder: PathBuf,
    target: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
}

impl Outside {
    /// The package of that fixture. `Err`: a failure, or a skip where what it depends on cannot be had.
    pub fn copied(root: &Path, fixture: &str, environment: &[(&'static str, PathBuf)]) -> Result<Outside, Outcome> {
        let (from, folder) = (root.join("tests/fixtures").join(fixture), root.join("target/xtask").join(fixture));
        let _ = fs::remove_dir_all(&folder);
        let copy = || {
            copy(&from, &folder)?;
            let manifest = fs::read_to_string(from.join("Cargo.toml"))?;
            fs::write(folder.join("Cargo.toml"), manifest.replace("../../..", &root.display().to_string()))?;
            fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map(drop)
        };
        copy().map_err(|e| Outcome::Fail(e.to_string()))?;
        let target = root.join("target/tests/trybuild");
        let package = Outside { folder, target, environment: environment.to_vec() };
        match package.cargo(&["fetch"]) {
            Ok(_) => Ok(package),
            Err(why) => Err(Outcome::Skip(format!("what it depends on cannot be had: {why}"))),
        }
    }

    /// What cargo and the program print; an error has their messages.
    pub fn cargo(&self, args: &[&str]) -> Result<String, String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.folder).args(args).env("CARGO_TARGET_DIR", &self.target);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let Output { status, stdout, stderr } = process::output(&mut command).map_err(|e| e.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if status.success() { Ok(text(&stdout)) } else { Err(text(&stderr)) }
    }

    /// Asks that what [`Outside::cargo`] prints contains this.
    pub fn says(&self, args: &[&str], expected: &str) -> Result<(), String> {
        let said = self.cargo(args)?;
        if said.contains(expected) { Ok(()) } else { Err(format!("`{expected}` expected, found {said}")) }
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    fs::read_dir(from)?.flatten().try_for_each(|entry| {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy(&from, &to) } else { fs::copy(from, to).map(drop) }
    })
}
