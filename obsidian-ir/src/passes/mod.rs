//! The passes, in the order they run.
pub mod bounds;

use crate::program::Program;
pub fn structured(p: &mut Program) -> crate::diag::Result<()> { bounds::check(p) }
pub fn native(p: &Program) -> Program { p.clone() }
pub fn machine(p: &Program) -> Program { p.clone() }
