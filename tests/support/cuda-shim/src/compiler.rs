//! The system's C++ compiler, and how it is called.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::Fault;

/// How the threads of a block run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// As fibres, one after another.
    Fibres,
    /// As fibres; undefined behaviour ends the process (UndefinedBehaviorSanitizer).
    Checked,
    /// As threads of the processor, watched by ThreadSanitizer.
    Threads,
}

/// A C++ compiler.
#[derive(Debug)]
pub struct Compiler {
    tool: cc::Tool,
}

impl Compiler {
    /// The compiler that `CXX` names, or the system's. `Err`: why there is none.
    pub fn find() -> Result<Compiler, String> {
        let target = env!("SHIM_TARGET");
        let tool = cc::Build::new()
            .cpp(true)
            .target(target)
            .host(target)
            .opt_level(0)
            .cargo_metadata(false)
            .try_get_compiler()
            .map_err(|error| error.to_string())?;
        let compiler = Compiler { tool };
        if !(compiler.tool.is_like_gnu() || compiler.tool.is_like_clang()) {
            return Err(format!("{} is neither GCC nor Clang", compiler.tool.path().display()));
        }
        // The compiler that `cc` names need not be installed.
        match compiler.tool.to_command().arg("--version").output() {
            Ok(done) if done.status.success() => Ok(compiler),
            Ok(done) => Err(format!("{} --version: {}", compiler.tool.path().display(), done.status)),
            Err(error) => Err(format!("{}: {error}", compiler.tool.path().display())),
        }
    }

    /// The command that makes a program of a text. A warning is an error.
    pub(crate) fn command(&self, engine: Engine, headers: &Path, text: &Path, program: &Path) -> Command {
        let mut command = Command::new(self.tool.path());
        command.envs(self.tool.get_envs());
        command
            .args([
                "-std=c++17",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-unused-parameter",
                "-Wno-tautological-compare",
                "-Wno-unknown-pragmas",
                "-ffp-contract=off",
                "-pthread",
                "-I",
            ])
            .arg(headers);
        match engine {
            Engine::Fibres => command.arg("-O0"),
            Engine::Checked => command.args(["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"]),
            Engine::Threads => command.args(["-O0", "-g1", "-fsanitize=thread", "-DCOC_THREADS"]),
        };
        command.arg(text).arg("-o").arg(program);
        command
    }
    /// Compiles a whole program in C99, runs it, and returns what it prints. A warning is an error.
    pub fn run_c(&self, folder: &Path, text: &str) -> Result<String, Fault> {
        fs::create_dir_all(folder)?;
        let (file, program) = (folder.join("program.c"), folder.join("program"));
        fs::write(&file, text)?;
        let mut command = Command::new(self.tool.path());
        command.envs(self.tool.get_envs()).args(["-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]);
        let done = command.arg(&file).arg("-o").arg(&program).output()?;
        if !done.status.success() {
            return Err(Fault::Compile(String::from_utf8_lossy(&done.stderr).into_owned()));
        }
        let done = Command::new(program).output()?;
        if !done.status.success() {
            return Err(Fault::Process(done.status.to_string()));
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }
}
