//! Kernels as a process, and launches of a case in it: the interpreter's arguments in, its kind of outputs out.

use std::path::PathBuf;

use obsidian::abi::{Language, dynamic_shared};
use obsidian_cuda_shim::{Argument, Compiler, Engine, Fault, Launch, Order, Process, Program, Text};
use obsidian_ir::interp::{Args, Outputs};

use super::cases::{Case, FEW_BLOCKS, has_inputs};
use super::flat::{Flat, Word};

/// Where the programs of a test lie.
pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuda").join(name)
}

/// A program with a process of it, and its number among this test's.
pub struct Running {
    program: Program,
    process: Process,
}

impl Running {
    pub fn new(compiler: &Compiler, name: &str, engine: Engine, texts: &[Text<'_>]) -> Result<Running, Fault> {
        let program = Program::build(compiler, &folder(name), engine, texts)?;
        let process = program.start()?;
        Ok(Running { program, process })
    }

    /// What kernel number `kernel`, the case's, leaves in its buffers, and in its record of faults.
    pub fn launch(
        &mut self,
        kernel: usize,
        case: &Case,
        args: &Args,
        (blocks, order): (u32, Order),
    ) -> Result<(Outputs, [u64; 2]), Fault> {
        let flat = Flat::new(&case.program, args, case.output_lens(args));
        let argument = |word: &Word| match word {
            Word::Value { bits, bytes } => Argument::Value(bits.to_le_bytes()[..*bytes].to_vec()),
            Word::Buffer(bytes) => Argument::Buffer(bytes.clone()),
        };
        let mut arguments: Vec<Argument> = flat.words.iter().map(argument).collect();
        // A kernel without inputs is as large as its text says: a real block for each virtual one, and the first are run.
        let (grid, run) = if has_inputs(case.params()) { (blocks, 0..blocks) } else { (1 << 16, 0..FEW_BLOCKS) };
        let bytes = case.info.variants[case.variant].text(Language::CudaC).map_or(0, |text| text.shared_bytes);
        let (threads, shared) = (case.program.threads, dynamic_shared(bytes));
        let launch = Launch { grid, run, threads, shared, order };
        let end = self.process.launch(kernel, &launch, &mut arguments);
        if let Err(Fault::Process(_)) = end {
            self.process = self.program.start()?;
        }
        end?;
        let bytes = |at: usize| match &arguments[at] {
            Argument::Value(bytes) | Argument::Buffer(bytes) => &bytes[..],
        };
        let word = |at, i: usize| u64::from_le_bytes(bytes(at)[8 * i..][..8].try_into().expect("8 bytes"));
        Ok((flat.outputs(bytes), flat.record.map_or([0; 2], |at| [word(at, 0), word(at, 1)])))
    }
}

/// Ends the process; what it said.
pub fn finish(running: Running) -> Result<String, Fault> {
    running.process.finish()
}
