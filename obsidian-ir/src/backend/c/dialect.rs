//! What differs between the dialects of C: spellings, as data. `backend::cuda` and `backend::opencl` are one table each;
//! everything else is shared.

use super::spelling::{Prec, Text};
use crate::level::Level;
use crate::program::{AtomicOp, BinOp, Program, ScalarType, ShuffleKind, Space, Special, UnOp};

/// What stands where a dialect has no function: a name that no compiler knows, so that the text is refused.
pub(crate) fn no_function() -> String {
    "this_dialect_has_no_such_function".to_string()
}

/// A function on floats that every dialect has under a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Mul,
    MulAdd,
    Sqrt,
    Abs,
    Floor,
    Ceil,
    Trunc,
    Rem,
    Min,
    Max,
}

/// How a dialect writes a function of two integers, [`BinClass::Growing`](crate::program::BinClass::Growing).
pub(crate) enum OfIntegers {
    /// By a function of its own.
    Own(String),
    /// By a helper, whose body computes it from `a` and `b`.
    Helper(String),
}

/// A function of the dialect, and the type it takes if that is not the element's own.
pub(crate) type Native = (&'static str, Option<ScalarType>);

/// The lesser or the greater of two integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extreme {
    /// By the dialect's own `min` and `max`, for every type.
    Builtin,
    /// By a helper: the dialect has no such function, or a driver makes a call of it.
    Helper,
}

/// The memory accesses that a barrier must make visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// Writes to shared memory.
    Shared,
    /// Also those to buffers, which the kernel reads again.
    Everything,
}

/// Whether a text tells the places of the author's tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourcePlaces {
    /// By `#line`.
    Told,
    /// Its own lines are meant by every number.
    Left,
}

/// Operators for values of type `bool`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logic {
    /// "And".
    pub both: &'static str,
    /// "Or".
    pub either: &'static str,
    /// How tightly their operands must bind to stand without parentheses; compilers warn of fewer.
    pub operands: Prec,
}

/// The spellings of a dialect.
pub(crate) struct Dialect {
    /// Whether `#line` tells of which of the author's lines a statement is, where the program knows.
    pub places: SourcePlaces,
    /// A type as a value.
    pub ty: fn(ScalarType) -> &'static str,
    /// `bool` in memory and as a parameter: one byte, 0 or 1.
    pub stored_bool: &'static str,
    /// Suffix of 64-bit literals, signed.
    pub long: &'static str,
    /// Suffix of 64-bit literals, unsigned.
    pub unsigned_long: &'static str,
    /// The type in which subscripts of buffers are computed where ranges prove that they do not wrap.
    pub subscripts: ScalarType,
    /// A machine register.
    pub special: fn(Special) -> Text,
    /// The head of the loop by which a real block takes virtual ones (its number, how many there are); `None`: a plain loop.
    pub each_block: Option<fn(block: &str, blocks: &str) -> String>,
    /// A function on floats of this type; `None`: C's operator does it.
    pub function: fn(Function, ScalarType) -> Option<String>,
    /// A function of two integers of a type.
    pub of_integers: fn(BinOp, ScalarType) -> OfIntegers,
    /// How the lesser or the greater of two integers is written.
    pub extreme: Extreme,
    /// The complement of an integer of a type, where it is not written `~`.
    pub complement: Option<fn(ty: &str, of: &str) -> String>,
    /// The function that restores the sign of a rounded number, for drivers that lose the sign of zeros.
    pub copy_sign: Option<&'static str>,
    /// The body of an approximate quotient of the `float`s `a` and `b`.
    pub fast_divide: &'static str,
    /// The same of a square root of `a`.
    pub fast_sqrt: &'static str,
    /// The same of `1 / a`.
    pub fast_recip: &'static str,
    /// The same of `1 / sqrt(a)`.
    pub fast_rsqrt: &'static str,
    /// The hardware's own function: the name of a helper, and its body.
    pub fast_function: fn(UnOp) -> (&'static str, &'static str),
    /// The body of an operation on the bits of an integer `a` of this type.
    pub bit_count: fn(UnOp, ScalarType) -> String,
    /// The body of a conversion of `x` from or to a 16-bit float, which is held as its bits.
    pub half: fn(from: ScalarType, to: ScalarType) -> &'static str,
    /// A value's bits as another type of 4 or 8 bytes.
    pub reinterpret: fn(from: ScalarType, to: ScalarType, Text) -> Text,
    /// The value that an expression has in another lane of the warp.
    pub shuffle: fn(ShuffleKind, ScalarType, value: &str, lane: &str) -> String,
    /// From the bits of a float, as a signed integer, to the float.
    pub from_bits: fn(ScalarType) -> &'static str,
    /// From a float to its bits, as a signed integer.
    pub to_bits: fn(ScalarType) -> &'static str,
    /// The qualifier of every pointer into a space.
    pub space: fn(Space) -> &'static str,
    /// Accesses to neighbours as one.
    pub vectors: Vectors,
    /// `restrict`.
    pub restrict: &'static str,
    /// The qualifiers in front of a helper function.
    pub helper: &'static str,
    /// What its name begins with: a header's functions and those of the text that it describes may stand in one file.
    pub helper_prefix: &'static str,
    /// Copies that go on while other code runs, where the dialect has them.
    pub copies: Option<Copies>,
    /// A function's name and parameters as a kernel.
    pub kernel: fn(name: &str, program: &Program, parameters: &str) -> String,
    /// The declaration of a block's shared memory, `smem`.
    pub shared: fn(bytes: u32) -> String,
    /// Waits for the threads of a level; `lanes` are in a warp.
    pub barrier: fn(Level, lanes: u32, Fence) -> String,
    /// What a round of a loop around barriers begins with, if anything, in blocks of `threads` threads.
    pub round: fn(threads: u32) -> Option<&'static str>,
    /// "And" and "or" of values of type `bool`.
    pub logic: Logic,
    /// What keeps a compiler from unrolling the loop behind it, where the dialect has it.
    pub rolled: Option<&'static str>,
    /// The function for an atomic update, and the type it works on if that is not the element's own; `None` if a loop
    /// must do it.
    pub atomic: fn(AtomicOp, ScalarType) -> Option<Native>,
    /// Compare and exchange of a word of 4 or 8 bytes.
    pub compare_exchange: fn(bytes: u32) -> &'static str,
    /// The words of the launch contract.
    pub contract: Contract,
    /// The opening of the text, after the header. `memory` is the name of some that the kernel may write.
    pub prologue: fn(&Program, body: &str, memory: &str) -> String,
    /// The name of a kernel's function.
    pub symbol: fn(&str) -> String,
    /// Names that the dialect uses itself, beside those of C.
    pub reserved: &'static [&'static str],
}

/// The words of the launch contract.
pub(crate) struct Contract {
    /// How many threads and blocks.
    pub launch: fn(threads: u32) -> String,
    /// A real block.
    pub block: &'static str,
    /// The shared memory, and what the kernel needs of the device.
    pub shared: fn(&Program) -> String,
}

/// The bodies of the helpers for copies that go on while other code runs.
pub(crate) struct Copies {
    /// Begins to copy so many bytes, from `from` in a buffer to `to` in shared memory.
    pub copy: fn(bytes: u32) -> String,
    /// Makes a group of those begun since the last one.
    pub commit: fn() -> String,
    /// Waits for all groups but the latest.
    pub wait: fn(pending: u32) -> String,
}

/// Two or four neighbours of an array that are accessed as one.
pub(crate) struct Vectors {
    /// The name of their type.
    pub name: fn(ScalarType, usize) -> String,
    /// The declaration of that type; `None` where the dialect has it.
    pub declared: Option<fn(name: &str, bytes: u32, fields: &str) -> String>,
    /// Their value.
    pub load: fn(&Neighbours) -> String,
    /// The statement that writes them.
    pub store: fn(&Neighbours, values: &str) -> String,
}

/// Where neighbours lie.
pub(crate) struct Neighbours {
    /// The qualifier of pointers to them.
    pub space: &'static str,
    /// The name of their type.
    pub vector: String,
    /// How many they are.
    pub count: usize,
    /// Their array.
    pub array: String,
    /// The subscript of the first.
    pub first: String,
}

impl Dialect {
    /// A type in memory.
    pub fn stored(&self, ty: ScalarType) -> &'static str {
        if ty == ScalarType::Bool { self.stored_bool } else { (self.ty)(ty) }
    }

    /// A pointer's type, to elements of `ty`, as a prefix: `__global const float *`.
    pub fn pointer(&self, space: Space, qualifier: &str, ty: ScalarType) -> String {
        let space = (self.space)(space);
        let gap = if space.is_empty() { "" } else { " " };
        format!("{space}{gap}{qualifier}{} *", self.stored(ty))
    }
}
