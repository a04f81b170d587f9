//! A second OpenCL driver without a GPU: Intel's for processors, which has sub-groups. From wheels, in an environment of its
//! own under `tools/`; for tests and benches only, nothing of it is shipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::opencl::Drivers;
use crate::table::Outcome;
use crate::tools::run;

/// Wheels; the driver does not name the second among what it depends on, and does not start without it.
pub const WHEELS: [&str; 3] = ["intel-opencl-rt==2026.2.0", "intel-cmplr-lib-rt==2026.2.0", "tbb==2023.2.0"];

/// The driver, beside the libraries that it loads.
pub struct Intel {
    libraries: PathBuf,
}

/// Finds the driver, and installs it where it is missing, by the installer that brought the loader. `Err`: a skip where it
/// cannot be had here, a failure where it was installed and is not what it should be.
pub fn get(root: &Path) -> Result<Intel, Outcome> {
    let intel = Intel { libraries: root.join("tools/intel/lib") };
    if !intel.driver().exists() {
        install(root).map_err(Outcome::Skip)?;
    }
    if intel.driver().exists() { Ok(intel) } else { Err(Outcome::Fail("the wheels do not hold the driver".into())) }
}

fn install(root: &Path) -> Result<(), String> {
    let venv = root.join("tools/intel");
    run(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&venv), "python3 -m venv")?;
    let mut pip = Command::new(root.join("tools/opencl/bin/python"));
    pip.args(["-m", "pip", "--python"]).arg(venv.join("bin/python"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile"]).args(WHEELS);
    run(&mut pip, "pip install")
}

impl Intel {
    fn driver(&self) -> PathBuf {
        self.libraries.join("libintelocl.so")
    }

    /// What a test or a bench on the driver needs around it.
    pub fn environment(&self, root: &Path, drivers: &Drivers) -> Vec<(&'static str, PathBuf)> {
        let mut environment = drivers.loading(&self.driver());
        environment.extend([
            ("LD_LIBRARY_PATH", self.libraries.clone()),
            ("OBSIDIAN_CACHE", root.join("target/xtask/cache-intel")),
            // Then the tests fail where it has none.
            ("OBSIDIAN_TEST_SUB_GROUPS", PathBuf::from("1")),
        ]);
        environment
    }
}
