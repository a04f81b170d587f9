//! A program's PTX on the PTX interpreter: the reference interpreter's arguments in, its kind of outputs out.

use obsidian_ir::interp::{Args, Outputs};
use obsidian_ir::program::Program;
use obsidian_ptx_interp::{Fault, Launch, Memory, Module};

use crate::flat::{Flat, Word};

/// What a launch leaves.
pub struct Launched {
    /// Updated buffers and outputs.
    pub outputs: Outputs,
    /// Whether a guard has recorded an access out of range.
    pub out_of_range: bool,
}

/// Runs a text, with outputs as long as the `expected` ones.
pub fn run(text: &str, program: &Program, args: &Args, expected: &Outputs, shape: &Launch) -> Result<Launched, Fault> {
    let module = Module::parse(text)?;
    let mut memory = Memory::new();
    let flat = Flat::of_outputs(program, args, expected);
    let params = flat.words.iter().map(|word| match word {
        Word::Value { bits, .. } => *bits,
        Word::Buffer(bytes) => memory.allocate(bytes.clone()),
    });
    let params: Vec<u64> = params.collect();
    module.launch(&program.name, shape, &params, &mut memory)?;
    let out_of_range = flat.record.is_some_and(|at| memory.bytes(params[at]) != [0; 16]);
    Ok(Launched { outputs: flat.outputs(|at| memory.bytes(params[at])), out_of_range })
}
