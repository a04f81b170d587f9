//! What the interpreter finds wrong: with the program, or with what it was given.

use std::fmt;

use obsidian_abi::assertion;

use crate::diag::Span;
use crate::program::{ArrayId, Assertion, Range};

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The arguments are not those of the kernel's parameters: what was expected and found.
    Arguments(String),
    /// A launch condition does not hold.
    Refused {
        /// What must hold.
        message: String,
        /// The value found.
        found: u64,
    },
    /// An index past the end of an array.
    OutOfBounds {
        /// The array.
        array: String,
        /// The index.
        index: u64,
        /// The array's length.
        len: u64,
        /// The statement.
        span: Span,
    },
    /// An `assert!` that does not hold.
    Assertion {
        /// The array that stands for it.
        array: ArrayId,
        /// Its text, with the value.
        message: String,
    },
    /// A read of an element that nobody has written since the array was allocated, or that an array lying on the same
    /// shared memory has overwritten.
    Uninitialised {
        /// The array.
        array: String,
        /// The element.
        index: u64,
        /// The array whose data lies there, if any.
        holds: Option<String>,
        /// The statement.
        span: Span,
    },
    /// A variable is read before it is set.
    Unset {
        /// The variable.
        var: String,
        /// The statement.
        span: Span,
    },
    /// A variable is given a value outside of the range in which the compiler says that it lies.
    OutsideRange {
        /// The variable.
        var: String,
        /// The value.
        value: i128,
        /// The range.
        range: Range,
    },
    /// Two accesses to one element, of which one writes, with no barrier between them.
    Race {
        /// The array.
        array: String,
        /// The element.
        element: u64,
        /// Who came first.
        first: Who,
        /// Who came second.
        second: Who,
        /// The statements, in that order.
        spans: (Span, Span),
    },
    /// More rounds of loops than the run was given.
    Endless,
    /// An element of an output that no block writes.
    Unwritten {
        /// The output's array.
        array: String,
        /// The element.
        index: u64,
    },
    /// The program is not one that the compiler makes: what is wrong with it.
    Malformed(String),
}

/// What a step of a run gives. A fault is large and rare: in a box, it does not make every value large.
pub(super) type Ran<T = ()> = Result<T, Box<Fault>>;

/// The threads of one access, in the numbering of a real block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Who {
    /// The virtual block.
    pub block: u32,
    /// The first thread.
    pub from: u32,
    /// The thread after the last.
    pub to: u32,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.to - self.from == 1 {
            write!(f, "thread {} of block {}", self.from, self.block)
        } else {
            write!(f, "threads {} to {} of block {}", self.from, self.to - 1, self.block)
        }
    }
}

impl Fault {
    /// That an assertion does not hold for a value of these bits.
    pub(super) fn assertion(array: ArrayId, assertion: &Assertion, bits: u64) -> Fault {
        let entry = assertion.entry();
        let told = assertion::failed(&entry, bits);
        Fault::Assertion { array, message: told.map_or_else(String::new, |failed| failed.message) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Arguments(what) => write!(f, "wrong arguments: {what}"),
            Fault::Refused { message, found } => match assertion::failed(message, *found) {
                Some(failed) => f.write_str(&failed.message),
                None => write!(f, "{message}, found {found}"),
            },
            Fault::OutOfBounds { array, index, len, .. } => {
                write!(f, "index {index} is out of bounds of `{array}`, which has {len} elements")
            }
            Fault::Assertion { message, .. } => f.write_str(message),
            Fault::Uninitialised { array, index, holds: None, .. } => {
                write!(f, "`{array}[{index}]` is read before it is written")
            }
            Fault::Uninitialised { array, index, holds: Some(other), .. } => {
                write!(f, "`{array}[{index}]` is read after `{other}` has overwritten it")
            }
            Fault::Unset { var, .. } => write!(f, "variable `{var}` is read before it is set"),
            Fault::OutsideRange { var, value, range } => {
                write!(f, "variable `{var}` is {value}, which is not in {} to {}", range.lo, range.hi)
            }
            Fault::Race { array, element, first, second, .. } => {
                write!(f, "race on `{array}[{element}]` between {first} and {second}")
            }
            Fault::Endless => write!(f, "the loops run more rounds than the run was given"),
            Fault::Unwritten { array, index } => write!(f, "`{array}[{index}]` is never written"),
            Fault::Malformed(what) => write!(f, "malformed program: {what}"),
        }
    }
}

impl std::error::Error for Fault {}
