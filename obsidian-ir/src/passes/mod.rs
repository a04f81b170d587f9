//! The passes, in the order they run.
use crate::program::Program;
pub fn structured(_p: &mut Program) -> crate::diag::Result<()> { Ok(()) }
pub fn native(p: &Program) -> Program { p.clone() }
pub fn machine(p: &Program) -> Program { p.clone() }
