//! SMT-LIB: terms, and a solver that answers questions about them.

mod solver;
mod term;

pub(crate) use solver::{Answer, Solver};
pub(crate) use term::{Sort, Term, Terms};
