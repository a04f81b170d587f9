//! Reads the printed text of a program in structured or machine form. Knows nothing of the compiler: what it says about the text was
//! written down from the text.

mod expr;
mod lex;
mod line;
mod list;
#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use expr::{Op, Raw};

/// A scalar type, as its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Type {
    Bool,
    Int { width: u32, signed: bool },
    Float(u32),
}

/// The type of indices and counters.
pub(crate) const U32: Type = Type::Int { width: 32, signed: false };

impl Type {
    fn named(name: &str) -> Option<Type> {
        let width = || name[1..].parse().ok().filter(|w| [8, 16, 32, 64].contains(w));
        match name {
            "bool" => Some(Type::Bool),
            "bf16" => Some(Type::Float(16)),
            _ if name.starts_with('u') => Some(Type::Int { width: width()?, signed: false }),
            _ if name.starts_with('i') => Some(Type::Int { width: width()?, signed: true }),
            _ if name.starts_with('f') => Some(Type::Float(width()?)),
            _ => None,
        }
    }

    /// Least and greatest value; floats are opaque numbers of 64 bits.
    pub(crate) fn limits(self) -> (i128, i128) {
        match self {
            Type::Bool => (0, 1),
            Type::Int { width, signed: false } => (0, (1 << width) - 1),
            Type::Int { width, signed: true } => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            Type::Float(_) => (0, (1 << 64) - 1),
        }
    }

    /// How much memory an element takes.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Type::Bool => 1,
            Type::Int { width, .. } | Type::Float(width) => width / 8,
        }
    }
}

/// Who executes a list of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Level {
    Thread,
    Warp,
    Block,
    Grid,
}

/// Where an array lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Input,
    Updated,
    Output,
    /// Of a block, a warp or a thread: wherever it is allocated.
    Allocated,
    /// What a launch reports by; not the program's.
    Fault,
}

/// An array as it is declared.
#[derive(Debug, Clone)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) len: Raw,
    pub(crate) space: Space,
    /// Of an array in shared memory, where that is laid out.
    pub(crate) place: Option<Place>,
}

/// Where an array lies in a block's shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Whether each warp of the block has a copy: the block's first, then the second one's.
    pub(crate) owner: Level,
    /// Bytes before it.
    pub(crate) offset: u32,
}

/// Who answers for a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Claim {
    Compiler,
    Author,
}

/// A statement as it is printed.
#[derive(Debug, Clone)]
pub(crate) enum Stmt {
    Assign {
        claim: Claim,
        array: String,
        index: Raw,
        value: Raw,
    },
    Atomic {
        claim: Claim,
        array: String,
        index: Raw,
        values: Vec<Raw>,
        old: Option<String>,
    },
    Let {
        var: String,
        ty: Option<Type>,
        value: Raw,
    },
    /// A value of another lane, or a mask of lanes.
    Shuffle {
        var: String,
        value: Raw,
        mask: bool,
    },
    Local {
        var: String,
        ty: Type,
        init: Option<Raw>,
    },
    Set {
        var: String,
        value: Raw,
    },
    /// What is shown is read, and no more.
    Print {
        values: Vec<Raw>,
    },
    If {
        cond: Raw,
        then: Vec<Stmt>,
        els: Vec<Stmt>,
    },
    Seq {
        var: String,
        start: Raw,
        end: Raw,
        step: Raw,
        body: Vec<Stmt>,
    },
    While {
        head: Vec<Stmt>,
        cond: Raw,
        body: Vec<Stmt>,
    },
    /// A name of the text's own for an expression: it means what the expression means where it stands.
    Abbreviate {
        name: String,
        value: Raw,
    },
    /// `forall` and `distribute`: who executes the body.
    Share {
        level: Level,
        var: String,
        n: Raw,
        body: Vec<Stmt>,
    },
    Allocate {
        array: usize,
    },
    /// What follows are accesses to this many neighbours from an index on, as one.
    Vector {
        array: String,
        index: Raw,
        len: u32,
    },
    /// The threads of a block or a warp wait for one another.
    Sync(Level),
}

/// A kernel as it is printed.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// Of a block.
    pub(crate) threads: u32,
    pub(crate) arrays: Vec<Array>,
    pub(crate) scalars: Vec<(String, Type)>,
    /// What the runtime refuses a launch without.
    pub(crate) checks: Vec<Raw>,
    pub(crate) body: Vec<Stmt>,
}

impl Kernel {
    /// Reads one kernel.
    pub(crate) fn read(text: &str) -> Result<Kernel, Unreadable> {
        list::kernel(text)
    }
}

/// What a scalar parameter is called where something else has its name.
pub(crate) fn argument(scalar: &str) -> String {
    format!("arg({scalar})")
}

/// A text that the reader does not understand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The line, trimmed.
    pub line: String,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in `{}`", self.what, self.line)
    }
}
