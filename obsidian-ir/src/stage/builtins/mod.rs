//! The builtins, as data: signature, documentation, source and evaluator in one row. Everything that can be written in
//! the language itself is in `stdlib/` instead.

mod arrays;
mod mutable;
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
pub const THEMES: [(&str, &[Builtin]); 4] =
    [("arrays", arrays::ROWS), ("programs", programs::ROWS), ("mutable", mutable::ROWS), ("scalars", scalars::ROWS)];

/// All rows.
pub static BUILTINS: [Builtin; count()] = join();

const fn count() -> usize {
    let (mut n, mut theme) = (0, 0);
    while theme < THEMES.len() {
        n += THEMES[theme].1.len();
        theme += 1;
    }
    n
}

const fn join() -> [Builtin; count()] {
    let mut all = [arrays::ROWS[0]; count()];
    let (mut n, mut theme) = (0, 0);
    while theme < THEMES.len() {
        let mut row = 0;
        while row < THEMES[theme].1.len() {
            all[n] = THEMES[theme].1[row];
            n += 1;
            row += 1;
        }
        theme += 1;
    }
    all
}

impl Clone for Builtin {
    fn clone(&self) -> Self {
        *self
    }
}

impl Copy for Builtin {}
