//! The outside tools, pinned: a Python environment under `tools/` with NVIDIA's wheels. Installed only where missing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::process;
use crate::table::Outcome;

/// Wheels; `--no-deps`, because their own dependencies are not pinned and drift to newer, incompatible versions.
const WHEELS: [&str; 4] = [
    "nvidia-cuda-nvcc-cu12==12.9.86",
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-nvrtc==13.0.88",
    "nvidia-cuda-nvdisasm==13.2.86",
];

/// The tools, all present.
pub struct Tools {
    /// The environment's Python.
    pub python: PathBuf,
    /// `ptxas` 12.9: sm_70 and up.
    pub ptxas_12: PathBuf,
    /// `ptxas` 13.0: sm_75 and up.
    pub ptxas_13: PathBuf,
    /// The folder of `libnvrtc.so.13`.
    pub nvrtc: PathBuf,
    /// `nvdisasm` 13.2: lists the instructions of what `ptxas` made.
    pub nvdisasm: PathBuf,
}

/// Finds the tools, and installs them where they are missing. `Err`: a skip where they cannot be had here, a failure
/// where they were installed and do not hold what they should.
pub fn get(root: &Path) -> Result<Tools, Outcome> {
    let venv = root.join("tools");
    if let Some(tools) = find(&venv) {
        return Ok(tools);
    }
    install(&venv).map_err(Outcome::Skip)?;
    find(&venv).ok_or_else(|| Outcome::Fail("the wheels do not hold what they should".into()))
}

fn find(venv: &Path) -> Option<Tools> {
    let site = std::fs::read_dir(venv.join("lib")).ok()?.flatten().map(|e| e.path().join("site-packages/nvidia"));
    let nvidia = site.into_iter().find(|p| p.is_dir())?;
    let tools = Tools {
        python: venv.join("bin/python"),
        ptxas_12: nvidia.join("cuda_nvcc/bin/ptxas"),
        ptxas_13: nvidia.join("cu13/bin/ptxas"),
        nvrtc: nvidia.join("cu13/lib"),
        nvdisasm: nvidia.join("cu13/bin/nvdisasm"),
    };
    let library = tools.nvrtc.join("libnvrtc.so.13");
    [&tools.python, &tools.ptxas_12, &tools.ptxas_13, &library, &tools.nvdisasm]
        .iter()
        .all(|p| p.exists())
        .then_some(tools)
}

fn install(venv: &Path) -> Result<(), String> {
    run(Command::new("python3").args(["-m", "venv"]).arg(venv), "python3 -m venv")?;
    let mut pip = Command::new(venv.join("bin/python"));
    // One call for all: they share a folder.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]).args(WHEELS);
    run(&mut pip, "pip install")
}

/// Installs packages of the system's, where that is Debian's kind and this may. Steps run side by side, and one at a time may install.
pub fn install_packages(packages: &[&str]) -> Result<(), String> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--quiet", "--no-install-recommends"]).args(packages);
    run(apt.env("DEBIAN_FRONTEND", "noninteractive"), &format!("apt-get install {}", packages.join(" ")))
}

/// Runs an installer; the last line of what it says where it fails.
pub fn run(command: &mut Command, what: &str) -> Result<(), String> {
    let done = process::output(command).map_err(|e| format!("{what}: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(format!("{what}: {}", text.lines().last().unwrap_or("failed")))
}
