//! CUDA C without a GPU, for tests: kernels' texts in, a program of the system's C++ compiler out, which runs launches.
//!
//! The threads of a block are fibres, in a chosen order, or threads of the processor under ThreadSanitizer. Barriers,
//! shuffles and atomics are those of the headers in `shim/`. Knows nothing of the compiler that printed the kernels.
//!
//! ```
//! use obsidian_cuda_shim::{Argument, Compiler, Engine, Launch, Order, Program, Text};
//! # fn main() -> Result<(), obsidian_cuda_shim::Fault> {
//! let Ok(compiler) = Compiler::find() else { return Ok(()) };
//! let code = "extern \"C\" __global__ void number(int *out) { out[threadIdx.x] = threadIdx.x; }\n";
//! let dir = std::env::temp_dir().join("obsidian-cuda-shim-doc");
//! let program = Program::build(&compiler, &dir, Engine::Fibres, &[Text { symbol: "number", code }])?;
//! let mut process = program.start()?;
//! let mut arguments = [Argument::Buffer(vec![0xff; 12])];
//! let launch = Launch { grid: 1, run: 0..1, threads: 3, shared: 0, order: Order::Ascending };
//! process.launch(0, &launch, &mut arguments)?;
//! assert_eq!(arguments, [Argument::Buffer(vec![0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])]);
//! # Ok(())
//! # }
//! ```

mod compiler;
mod process;
mod source;
#[cfg(test)]
mod tests;

pub use compiler::{Compiler, Engine};
pub use process::{Argument, Fault, Launch, Order, Process, Program};
pub use source::Text;
