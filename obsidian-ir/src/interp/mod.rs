//! The reference interpreter: the meaning of a program, slowly and plainly, with every check on.
//!
//! Takes a program in any form from the structured one on, and arguments; gives the outputs or the first [`Fault`]. If the
//! program has levels, all virtual blocks run one after another on one real block. If it has none, every thread of the given
//! number of real blocks runs it, barriers, shuffles and vectors included. Shared memory is simulated piece by piece, as
//! `passes::layout` has laid it out; so a wrong overlay, a missing barrier and a missing barrier between two rounds all show,
//! whichever pass is to blame.

mod copies;
mod fault;
mod memory;
pub mod module;
mod order;
mod run;
mod shadow;
mod together;
mod trace;
mod value;

pub use fault::{Fault, Who};
pub use order::Order;
pub use trace::{Asked, Touch};
pub use value::{Arg, Args, Buffer, Outputs, Scalar};

use crate::program::Program;
pub use crate::program::walk::Kind;
use run::{FirstBlock, How};

/// Runs a kernel.
///
/// # Errors
/// [`Fault::Arguments`] and [`Fault::Refused`] before anything runs; the others name what the program did.
pub fn run(program: &Program, args: &Args) -> Result<Outputs, Fault> {
    run::run(program, args, How::default())
}

/// Runs a kernel, and gives what it prints to `reader`, piece by piece.
///
/// # Errors
/// As [`run`].
pub fn run_read(program: &Program, args: &Args, reader: &mut dyn FnMut(&str)) -> Result<Outputs, Fault> {
    run::run(program, args, How { reader: Some(reader), ..How::default() })
}

/// Runs a kernel on the given number of real blocks if its levels are gone; otherwise as [`run`].
///
/// # Errors
/// As [`run`].
pub fn run_on(program: &Program, args: &Args, blocks: u32) -> Result<Outputs, Fault> {
    run::run(program, args, How { blocks, ..How::default() })
}

/// As [`run_on`], by the loops over blocks that OpenCL C is printed with: a real block does their first round without asking
/// whether there is one for it, since no more are launched than there are.
///
/// # Errors
/// As [`run`].
pub fn run_untested(program: &Program, args: &Args, blocks: u32) -> Result<Outputs, Fault> {
    run::run(program, args, How { blocks, first: FirstBlock::Taken, ..How::default() })
}

/// As [`run`], for programs that may not come to an end: those of which all threads together begin more than `rounds` rounds
/// of sequential loops are [`Fault::Endless`].
///
/// # Errors
/// As [`run`], and [`Fault::Endless`].
pub fn run_within(program: &Program, args: &Args, rounds: u64) -> Result<Outputs, Fault> {
    run::run(program, args, How { rounds, ..How::default() })
}

/// As [`run_within`], with blocks, warps and the threads of each phase in another order.
///
/// # Errors
/// As [`run_within`].
pub fn run_in(program: &Program, args: &Args, order: Order, rounds: u64) -> Result<Outputs, Fault> {
    run::run(program, args, How { rounds, order, ..How::default() })
}

/// Runs a kernel, and notes every access to an array in the order of the run.
///
/// # Errors
/// As [`run`].
pub fn traced(program: &Program, args: &Args) -> Result<(Outputs, Vec<Touch>), Fault> {
    let mut trace = Vec::new();
    let outputs = run::run(program, args, How { trace: Some(&mut trace), ..How::default() })?;
    Ok((outputs, trace))
}

#[cfg(test)]
mod tests;
