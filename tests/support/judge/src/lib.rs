//! A judge of printed programs: it reads the text of a program in structured form, before any proof was used, and asks an SMT
//! solver whether two instances of its accesses race, whether one strays, whether every output element is written exactly
//! once, and whether something is read that nobody wrote. And it reads a program in machine form, and asks whether two real
//! threads race between the barriers that were placed, whether one strays, and whether all come to each barrier.
//!
//! It shares no code with the compiler: the reader of the text, the order of instances and the meaning of expressions are
//! written here once more, as bit vectors and as integers that are reduced explicitly. For tests; ships nowhere.

mod bounds;
mod cover;
mod encode;
mod eval;
mod expr;
mod filled;
mod image;
mod linear;
mod machine;
mod order;
mod races;
mod resolve;
mod session;
mod site;
mod smt;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod verdict;
mod walk;
mod witness;

use std::fmt;
use std::io;
use std::path::Path;

pub use text::Unreadable;
pub use verdict::{Fault, Finding, Report, Verdict};

use encode::Mode;
use session::Session;
use site::Program;
use smt::Solver;
use text::Kernel;

/// A judge. It starts a solver for each kernel, because even a solver that is told to forget answers a little differently
/// after other questions, and a verdict must depend on the kernel alone.
#[derive(Debug)]
pub struct Judge<'a> {
    z3: &'a Path,
    /// Steps of the solver for all questions about a kernel.
    steps: u64,
}

/// Why there is no report.
#[derive(Debug)]
pub enum Failure {
    /// The text is not understood.
    Text(Unreadable),
    /// The solver cannot be started, has ended, or does not understand a question.
    Solver(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Text(what) => write!(f, "{what}"),
            Failure::Solver(e) => write!(f, "the solver: {e}"),
        }
    }
}

impl<'a> Judge<'a> {
    /// A judge that asks this `z3`, and lets it take so many steps for all questions about a kernel.
    pub fn within(z3: &'a Path, steps: u64) -> Judge<'a> {
        Judge { z3, steps }
    }

    /// Judges a kernel as it is printed.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn judge(&self, text: &str) -> Result<Report, Failure> {
        let kernel = Kernel::read(text).map_err(Failure::Text)?;
        let unresolved = |what| Failure::Text(Unreadable { line: kernel.name.clone(), what });
        let program = Program::of(&kernel).map_err(unresolved)?;
        self.ask(text, &program, &[bounds::judge, races::judge, cover::judge, filled::judge])
    }

    /// Judges a kernel in machine form as it is printed.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn judge_machine(&self, text: &str) -> Result<Report, Failure> {
        let program = machine::program(text).map_err(Failure::Text)?;
        self.ask(text, &program, &[bounds::judge, machine::barriers, machine::races])
    }

    fn ask(&self, text: &str, program: &Program, parts: &[Part]) -> Result<Report, Failure> {
        let mut solver = Solver::start(self.z3).map_err(Failure::Solver)?;
        let mut session = Session::new(program, &mut solver, modes(text), self.steps);
        session.report.name = program.name.clone();
        for part in parts {
            part(&mut session).map_err(Failure::Solver)?;
            // One fault is enough.
            if !session.report.findings.is_empty() {
                break;
            }
        }
        Ok(session.report)
    }
}

/// A kind of question.
type Part = fn(&mut Session<'_>) -> io::Result<()>;

/// Operations on bits are better asked as bits first.
fn modes(text: &str) -> [Mode; 2] {
    let bits = [" ^ ", " | "].iter().any(|sign| text.contains(sign));
    if bits { [Mode::Bits, Mode::Integers] } else { [Mode::Integers, Mode::Bits] }
}
