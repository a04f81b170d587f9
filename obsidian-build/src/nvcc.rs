//! PTX assembled by nvcc, for programs that load binaries: found through `CUDA_HOME`, or on `PATH`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use obsidian_ir::program::Program;

use crate::error::Message;

/// Names the folder of the CUDA toolkit.
const HOME: &str = "CUDA_HOME";

/// A binary that is wanted of each PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binary {
    /// For one GPU.
    Cubin(String),
    /// For several in one file.
    Fatbin(Vec<String>),
}

impl Binary {
    /// The name of the file beside `NAME.ptx`.
    fn file(&self, name: &str) -> String {
        match self {
            Binary::Cubin(gpu) => format!("{name}.{gpu}.cubin"),
            Binary::Fatbin(_) => format!("{name}.fatbin"),
        }
    }

    fn options(&self) -> Vec<String> {
        match self {
            Binary::Cubin(gpu) => vec!["-cubin".into(), format!("-arch={gpu}")],
            Binary::Fatbin(gpus) => {
                let code =
                    gpus.iter().map(|gpu| format!("-gencode=arch={},code={gpu}", gpu.replacen("sm_", "compute_", 1)));
                std::iter::once("-fatbin".into()).chain(code).collect()
            }
        }
    }

    /// How the manifest calls it.
    pub fn kind(&self) -> &'static str {
        match self {
            Binary::Cubin(_) => "cubin",
            Binary::Fatbin(_) => "fatbin",
        }
    }

    /// The GPUs that it is for.
    pub fn gpus(&self) -> &[String] {
        match self {
            Binary::Cubin(gpu) => std::slice::from_ref(gpu),
            Binary::Fatbin(gpus) => gpus,
        }
    }
}

/// The compiler.
pub struct Nvcc(PathBuf);

impl Nvcc {
    /// Finds it, and tells cargo what that depends on.
    pub fn find() -> Result<Nvcc, Message> {
        println!("cargo::rerun-if-env-changed={HOME}");
        println!("cargo::rerun-if-env-changed=PATH");
        let name = format!("nvcc{}", env::consts::EXE_SUFFIX);
        let message = Message::new("a cubin or fatbin is asked for, and nvcc is not found");
        if let Some(home) = env::var_os(HOME) {
            let path = Path::new(&home).join("bin").join(&name);
            let message = message.note(format!("`{HOME}` is set, and there is no {}", path.display()));
            return if path.is_file() { Ok(Nvcc(path)) } else { Err(message.help(HELP)) };
        }
        let all = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&all).map(|folder| folder.join(&name)).find(|path| path.is_file());
        let message = message.note(format!("`{HOME}` is not set, and no folder of `PATH` holds {name}"));
        found.map(Nvcc).ok_or_else(|| message.help(HELP))
    }

    /// Assembles `NAME.ptx` in a folder; the name of the new file.
    pub fn assemble(&self, binary: &Binary, kernel: &Program, folder: &Path) -> Result<String, Message> {
        let name = &kernel.name;
        let file = binary.file(name);
        let mut command = Command::new(&self.0);
        command.current_dir(folder).args(binary.options());
        // Without it ptxas makes no table of the lines that the text tells.
        command.args(kernel.places.as_ref().map(|_| "-lineinfo"));
        command.args(["-o", &file]).arg(format!("{name}.ptx"));
        let output = command.output().map_err(|e| Message::new(format!("cannot run {}: {e}", self.0.display())))?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            let message = Message::new(format!("nvcc does not assemble {name}.ptx for {}", binary.gpus().join(", ")));
            return Err(message.note(String::from_utf8_lossy(&said).trim().to_owned()));
        }
        if !folder.join(&file).is_file() {
            return Err(Message::new(format!("{} ended without an error and did not write {file}", self.0.display())));
        }
        Ok(file)
    }
}

const HELP: &str = "install the CUDA toolkit and set `CUDA_HOME` to its folder; or leave the binaries out: the driver compiles the PTX \
                    when a program loads it";
