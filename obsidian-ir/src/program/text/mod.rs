//! The text form of a program, for people and for tests: [`print()`] writes it, [`read`] reads it, and
//! [`difference`] says what two programs do not share. Whatever is printed reads back as the same program.
//!
//! A statement is a line, and what it nests is indented by two more spaces. What has an obvious value is left out: the
//! number of an array or a variable that its name ends in, the type of a literal whose surroundings have it, the range
//! of a variable that is that of what it is bound to (`defaults`). Where it differs, it is written: `s1@4`, `7u32`,
//! `i2(0..=31)`. A load of a matrix by row and column tells both: `m[t3 at (b0 of m_rows, i1 of m_cols)]`. `//` begins a comment.

mod build;
mod defaults;
mod header;
mod lex;
mod literal;
mod names;
mod print;
mod read;
mod same;
mod tree;
mod words;

pub use print::{expr, print, print_lined};
pub use read::{ReadError, read};
pub use same::difference;
pub use words::{in_words, words_and_counters};

use crate::program::Program;

/// Whether the text of a program reads back as the program, and prints as the same text.
///
/// # Errors
/// What is not so, with the text.
pub fn round_trip(p: &Program) -> Result<(), String> {
    let text = print(p);
    let again = read(&text).map_err(|e| format!("{}: {e}\n{text}", p.name))?;
    match difference(p, &again) {
        Some(what) => Err(format!("{}: {what}\n{text}", p.name)),
        None if print(&again) != text => Err(format!("{}: prints otherwise\n{text}", p.name)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
