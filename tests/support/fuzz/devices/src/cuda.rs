//! CUDA C of cases as one program of the system's C++ compiler: each launch that the reference interpreter does, done by it.

use std::path::Path;

use obsidian_cuda_shim::{Argument, Compiler, Engine, Fault, Launch, Order, Process, Program, Text};
use obsidian_fuzz::check::{Case, OneLaunch, Who, Wrong};
use obsidian_fuzz::flat::{Flat, Word};
use obsidian_ir::backend::cuda;
use obsidian_ir::interp::Outputs;
use obsidian_ir::passes::Machine;

use crate::checks::wrong;

/// Real blocks, and who goes first.
const LAUNCHES: [(u32, Order); 2] = [(1, Order::Descending), (3, Order::Ascending)];

/// A program of the kernels of some cases, which runs.
pub struct Texts {
    process: Process,
    /// Of each case the number of its first kernel.
    first: Vec<usize>,
    machines: Vec<Machine>,
}

impl Texts {
    /// Compiles the kernels of these cases in a folder.
    ///
    /// # Errors
    /// The compiler's, or the system's.
    pub fn new(compiler: &Compiler, folder: &Path, cases: &[&Case]) -> Result<Texts, Fault> {
        let (mut machines, mut first) = (Vec::new(), Vec::new());
        for case in cases {
            first.push(machines.len());
            machines.extend(case.kernels().zip(machines.len()..).map(|(v, number)| named(&v.machine, number)));
        }
        let codes: Vec<String> = machines.iter().map(cuda::print).collect();
        let texts = machines.iter().zip(&codes).map(|(machine, code)| Text { symbol: &machine.name, code });
        let texts: Vec<Text<'_>> = texts.collect();
        let process = Program::build(compiler, folder, Engine::Fibres, &texts)?.start()?;
        Ok(Texts { process, first, machines })
    }

    /// Does all launches of case number `number`, with the inputs that it has now.
    ///
    /// # Errors
    /// What is wrong.
    pub fn run(&mut self, number: usize, case: &Case) -> Result<(), Wrong> {
        for launch in case.launches()? {
            let kernel = self.first[number] + launch.kernel;
            for way in LAUNCHES {
                let how = |what: String| wrong(Who::Cuda, format!("{way:?}: {what}"));
                let found = self.launch(kernel, &launch, way).map_err(|fault| how(fault.to_string()))?;
                launch.compare(&found).map_err(how)?;
            }
        }
        Ok(())
    }

    fn launch(&mut self, kernel: usize, launch: &OneLaunch, (blocks, order): (u32, Order)) -> Result<Outputs, Fault> {
        let machine = &self.machines[kernel];
        let flat = Flat::of_outputs(machine, &launch.args, &launch.left);
        let argument = |word: &Word| match word {
            Word::Value { bits, bytes } => Argument::Value(bits.to_le_bytes()[..*bytes].to_vec()),
            Word::Buffer(bytes) => Argument::Buffer(bytes.clone()),
        };
        let mut arguments: Vec<Argument> = flat.words.iter().map(argument).collect();
        let (threads, shared) = (machine.threads, machine.dynamic_shared());
        let shape = Launch { grid: blocks, run: 0..blocks, threads, shared, order };
        self.process.launch(kernel, &shape, &mut arguments)?;
        let bytes = |at: usize| match &arguments[at] {
            Argument::Value(bytes) | Argument::Buffer(bytes) => &bytes[..],
        };
        if flat.record.is_some_and(|at| bytes(at).iter().any(|&byte| byte != 0)) {
            return Err(Fault::Kernel("an access out of range is recorded".into()));
        }
        Ok(flat.outputs(bytes))
    }
}

/// A kernel under a name that no other has.
fn named(machine: &Machine, number: usize) -> Machine {
    let name = format!("{}_{number}", machine.name);
    machine.changed(|p| p.name = name).expect("a name breaks no rule")
}
