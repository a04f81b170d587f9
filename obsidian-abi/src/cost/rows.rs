//! What the compiler writes for the costs of a kernel: a row each, its parts by their places and by short names. The costs are many of
//! the tokens of an expansion, and each is made, moved, read by rustc and dropped.

use std::borrow::Cow;

pub use super::Action::{self, Atomic, Load, Store};
pub use super::Certainty::{self, AtMost, EachRound, Exact};
pub use super::Limit::{self, Blocks, SharedMemory, Threads};
pub use super::Memory::{self, Global, Shared};
pub use super::Pattern::{self, DataDependent, Unknown};
pub use super::{Access, Barriers, Cost, LocalArray, Occupancy, Operations, Place, Requests, SharedArray, Vectors};
pub use crate::ScalarType::{self, BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
pub use std::borrow::Cow::Borrowed;

/// No place in the author's text.
pub const NOWHERE: Option<Place> = None;

/// A place in the author's text.
pub const fn at(line: u32, column: u32) -> Option<Place> {
    Some(Place { line, column })
}

/// An array in shared memory: its length and copies, its first byte and how many there are, the steps from and to which it is used.
pub const fn shared(
    (name, elem): (&'static str, ScalarType),
    (len, copies): (u32, u32),
    (offset, bytes): (u32, u32),
    (first, last): (u32, u32),
) -> SharedArray {
    SharedArray { name: Cow::Borrowed(name), elem, len, copies, offset, bytes, first, last }
}

/// An array of a thread in local memory: where it comes from, and its bytes.
pub const fn local(at: Option<Place>, bytes: u32) -> LocalArray {
    LocalArray { at, bytes }
}

/// An access: of which array, what is done and where, how much of it.
pub const fn access(
    (array, elem, memory): (&'static str, ScalarType, Memory),
    (action, step, place): (Action, u32, Option<Place>),
    (elements, pattern, certainty): (u64, Pattern, Certainty),
) -> Access {
    Access { array: Cow::Borrowed(array), elem, memory, action, step, place, elements, pattern, certainty }
}

/// The requests of an access: how many, their transactions, and of each as many numbers as [`Requests`] has.
pub const fn known(
    (count, transactions, least): (u64, f64, u64),
    (worst, excess): (u32, u32),
    (wanted, alignments): (u64, u32),
) -> Pattern {
    Pattern::Known(Requests { count, transactions, least, worst, excess, wanted, alignments })
}

/// Accesses of several neighbours at a time: of which array, what is done, how many neighbours and how often.
pub const fn vectors((array, elem): (&'static str, ScalarType), (action, width, count): (Action, u32, u32)) -> Vectors {
    Vectors { array: Cow::Borrowed(array), elem, action, width, count }
}

/// How many blocks fit on a device, how many of its warps they use in percent, and what limits them.
pub const fn occupancy(device: &'static str, blocks: u32, percent: u32, limit: Limit) -> Occupancy {
    Occupancy { device: Cow::Borrowed(device), blocks, percent, limit }
}
