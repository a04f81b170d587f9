//! sentryward, a static verifier of races and barriers that reads PTX: a wheel in an environment of its own under `tools/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::table::Outcome;
use crate::tools::run;

/// Pinned: it is young, and another version may answer otherwise.
pub const WHEEL: &str = "sentryward==0.1.1";

/// Finds it, and installs it where it is missing. `Err`: a skip where it cannot be had here, a failure where it was
/// installed and does not hold what it should.
pub fn get(root: &Path) -> Result<PathBuf, Outcome> {
    let venv = root.join("tools/sentryward");
    let tool = venv.join("bin/sentryward");
    if tool.exists() {
        return Ok(tool);
    }
    install(&venv).map_err(Outcome::Skip)?;
    if tool.exists() { Ok(tool) } else { Err(Outcome::Fail("the wheel does not hold what it should".into())) }
}

fn install(venv: &Path) -> Result<(), String> {
    run(Command::new("python3").args(["-m", "venv"]).arg(venv), "python3 -m venv")?;
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", WHEEL]);
    run(&mut pip, "pip install")
}
