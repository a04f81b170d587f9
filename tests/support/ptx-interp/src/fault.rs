//! What can be wrong with a text or with a launch.

use std::fmt;

/// A text that this interpreter does not take, or a launch that did what PTX leaves undefined.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Not PTX, or an instruction outside the subset.
    Text {
        /// Line of the text, from 1.
        line: u32,
        /// What is wrong.
        what: String,
    },
    /// The launch does not fit the entry: parameters, or no such entry.
    Launch(String),
    /// An access outside every allocation, or to an address that its size does not divide.
    Access {
        /// Line of the instruction.
        line: u32,
        /// The thread.
        thread: Thread,
        /// The address and what is wrong with it.
        what: String,
    },
    /// A barrier, a shuffle or a vote that not all of its threads reach together.
    Divergence {
        /// Line where a thread waits.
        line: u32,
        /// The thread that waits.
        thread: Thread,
        /// Who is missing.
        what: String,
    },
    /// More instructions than the budget.
    Endless {
        /// Line of the instruction that was next.
        line: u32,
    },
}

/// A thread of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thread {
    /// Its block.
    pub block: u32,
    /// Its number in the block.
    pub tid: u32,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |t: &Thread, line: &u32| format!("line {line}, thread {} of block {}", t.tid, t.block);
        match self {
            Fault::Text { line, what } => write!(f, "line {line}: {what}"),
            Fault::Launch(what) => f.write_str(what),
            Fault::Access { line, thread, what } | Fault::Divergence { line, thread, what } => {
                write!(f, "{}: {what}", place(thread, line))
            }
            Fault::Endless { line } => write!(f, "line {line}: the budget of instructions is spent"),
        }
    }
}

impl std::error::Error for Fault {}
