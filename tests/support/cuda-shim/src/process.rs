//! A program made of kernels, and the protocol with it: launches go to its standard input, and the contents of their
//! buffers come back from its standard output. `shim/runner.h` is the other end. A kernel that crashes ends that
//! process and not this one.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::compiler::{Compiler, Engine};
use crate::source::{self, Text};

/// The headers, which lie beside the programs.
const HEADERS: [(&str, &str); 4] = [
    ("cuda.h", include_str!("../shim/cuda.h")),
    ("fibres.h", include_str!("../shim/fibres.h")),
    ("threads.h", include_str!("../shim/threads.h")),
    ("runner.h", include_str!("../shim/runner.h")),
];

/// The order in which the threads of a block run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Those of low index.
    Ascending,
    /// Those of high index.
    Descending,
}

/// The shape of a launch.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Blocks, as the kernel sees them.
    pub grid: u32,
    /// The blocks that run, one after another.
    pub run: Range<u32>,
    /// Threads per block.
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Who goes first.
    pub order: Order,
}

/// An argument, as it lies in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A scalar.
    Value(Vec<u8>),
    /// A buffer: its bytes before the launch, and after it.
    Buffer(Vec<u8>),
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The compiler refused the text; what it said.
    Compile(String),
    /// Files or the process failed, or the process ended before its answer: what it said last.
    Process(String),
    /// A barrier or a shuffle that not all threads reach, or a write outside a buffer.
    Kernel(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Compile(text) => write!(f, "the C++ compiler refuses the text:\n{text}"),
            Fault::Process(text) => write!(f, "the kernels' process: {text}"),
            Fault::Kernel(text) => f.write_str(text.trim_end()),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Process(error.to_string())
    }
}

/// A program of some kernels.
#[derive(Debug)]
pub struct Program {
    folder: PathBuf,
}

impl Program {
    /// Compiles kernels into a program in a folder of its own. [`Fault::Compile`] if the compiler refuses them or warns.
    pub fn build(compiler: &Compiler, folder: &Path, engine: Engine, texts: &[Text<'_>]) -> Result<Program, Fault> {
        fs::create_dir_all(folder)?;
        for (name, text) in HEADERS {
            fs::write(folder.join(name), text)?;
        }
        let program = Program { folder: folder.to_path_buf() };
        let text = program.folder.join("kernels.cpp");
        fs::write(&text, source::join(texts).map_err(Fault::Compile)?)?;
        let done = compiler.command(engine, folder, &text, &program.path()).output()?;
        if done.status.success() {
            return Ok(program);
        }
        Err(Fault::Compile(String::from_utf8_lossy(&done.stderr).into_owned()))
    }

    fn path(&self) -> PathBuf {
        self.folder.join("kernels")
    }

    /// Starts it.
    pub fn start(&self) -> Result<Process, Fault> {
        let log = self.folder.join("said");
        let mut command = Command::new(self.path());
        // A report of ThreadSanitizer does not stop a program.
        command.env("TSAN_OPTIONS", "exitcode=0");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        Ok(Process { child: command.spawn()?, log })
    }
}

/// A program that runs.
#[derive(Debug)]
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Runs a kernel, by its place among the texts, and puts what it wrote into the buffers.
    pub fn launch(&mut self, kernel: usize, launch: &Launch, arguments: &mut [Argument]) -> Result<(), Fault> {
        match self.talk(kernel, launch, arguments) {
            Ok(complaints) if complaints.is_empty() => Ok(()),
            Ok(complaints) => Err(Fault::Kernel(complaints)),
            Err(error) => {
                let _ = self.child.kill();
                let end = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
                Err(Fault::Process(format!("{error}; {end}\n{}", self.log_text())))
            }
        }
    }

    /// Ends it and returns what it wrote to standard error: reports of ThreadSanitizer.
    pub fn finish(mut self) -> Result<String, Fault> {
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        if status.success() {
            Ok(self.log_text())
        } else {
            Err(Fault::Process(format!("{status}\n{}", self.log_text())))
        }
    }

    fn log_text(&self) -> String {
        fs::read(&self.log).map_or_else(|e| e.to_string(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn talk(&mut self, kernel: usize, launch: &Launch, arguments: &mut [Argument]) -> io::Result<String> {
        let (Some(input), Some(output)) = (&mut self.child.stdin, &mut self.child.stdout) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let order = u32::from(launch.order == Order::Descending);
        let head = [kernel as u32, launch.grid, launch.run.start, launch.run.end, launch.threads, launch.shared, order];
        let mut request: Vec<u8> =
            head.into_iter().chain([arguments.len() as u32]).flat_map(u32::to_ne_bytes).collect();
        for argument in arguments.iter() {
            let (is_buffer, bytes) = match argument {
                Argument::Value(bytes) => (0u32, bytes),
                Argument::Buffer(bytes) => (1, bytes),
            };
            request.extend([is_buffer, bytes.len() as u32].into_iter().flat_map(u32::to_ne_bytes));
            request.extend(bytes);
        }
        input.write_all(&request)?;
        input.flush()?;
        let mut length = [0; 4];
        output.read_exact(&mut length)?;
        let mut complaints = vec![0; u32::from_ne_bytes(length) as usize];
        output.read_exact(&mut complaints)?;
        for argument in arguments {
            if let Argument::Buffer(bytes) = argument {
                output.read_exact(bytes)?;
            }
        }
        Ok(String::from_utf8_lossy(&complaints).into_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Without its input it ends by itself; one that hangs does not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
