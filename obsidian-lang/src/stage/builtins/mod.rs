//! The builtins, as data: signature, documentation, source and evaluator in one row. Everything that can be written in
//! the language itself is in `library/` instead.

mod arrays;
mod chains;
mod lossless;
mod mutable;
mod networks;
mod programs;
mod scalars;

use super::Stage;
use super::value::Value;
use crate::types::GenericArg;
use obsidian_ir::diag::Result;

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
pub const THEMES: [(&str, &[Builtin]); 6] = [
    ("arrays", arrays::ROWS),
    ("networks", networks::ROWS),
    ("programs", programs::ROWS),
    ("mutable", mutable::ROWS),
    ("chains", chains::ROWS),
    ("scalars", scalars::ROWS),
];

const COUNT: usize = {
    let (mut n, mut t) = (0, 0);
    while t < THEMES.len() {
        n += THEMES[t].1.len();
        t += 1;
    }
    n
};

/// All rows.
pub static BUILTINS: [Builtin; COUNT] = {
    let mut all = [arrays::ROWS[0]; COUNT];
    let (mut n, mut t) = (0, 0);
    while t < THEMES.len() {
        let mut row = 0;
        while row < THEMES[t].1.len() {
            all[n] = THEMES[t].1[row];
            n += 1;
            row += 1;
        }
        t += 1;
    }
    all
};

impl Clone for Builtin {
    fn clone(&self) -> Self {
        *self
    }
}

impl Copy for Builtin {}
