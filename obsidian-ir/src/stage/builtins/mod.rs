//! The builtins, as data: signature, documentation, source and evaluator in one row. Everything that can be written in
//! the language itself is in `stdlib/` instead.

mod arrays;
mod programs;
mod scalars;

use super::Stage;
use super::value::Value;
use crate::diag::Result;
use crate::types::GenericArg;

/// A builtin.
pub struct Builtin {
    /// Its type, in the language.
    pub signature: &'static str,
    /// What it does, and what it costs.
    pub doc: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its meaning: arguments, and the levels of its generics.
    pub eval: Eval,
}

/// The evaluator of a builtin.
pub type Eval = fn(&mut Stage, &[Value], &[GenericArg]) -> Result<Value>;

/// The rows by theme, as their pages are.
pub const THEMES: [(&str, &[Builtin]); 3] =
    [("arrays", arrays::ROWS), ("programs", programs::ROWS), ("scalars", scalars::ROWS)];

/// All rows.
pub static BUILTINS: [Builtin; arrays::ROWS.len() + programs::ROWS.len() + scalars::ROWS.len()] = join();

const fn join() -> [Builtin; arrays::ROWS.len() + programs::ROWS.len() + scalars::ROWS.len()] {
    const EMPTY: Builtin = arrays::ROWS[0];
    let mut all = [EMPTY; arrays::ROWS.len() + programs::ROWS.len() + scalars::ROWS.len()];
    let mut i = 0;
    while i < arrays::ROWS.len() {
        all[i] = arrays::ROWS[i];
        i += 1;
    }
    let mut k = 0;
    while k < programs::ROWS.len() {
        all[i + k] = programs::ROWS[k];
        k += 1;
    }
    let mut m = 0;
    while m < scalars::ROWS.len() {
        all[i + k + m] = scalars::ROWS[m];
        m += 1;
    }
    all
}

impl Clone for Builtin {
    fn clone(&self) -> Self {
        *self
    }
}

impl Copy for Builtin {}
