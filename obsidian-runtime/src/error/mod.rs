//! The one error type of the runtime: each variant says what was expected, what was found and what to do; `display` in
//! words.

mod display;

use crate::info::Backend;
use obsidian_abi::assertion::{self, Failed};
use obsidian_abi::guarded::{COLUMNS_OF, ROWS_OF};
use obsidian_abi::module::Overflow;

/// Why a device, a buffer or a launch was refused.
#[non_exhaustive]
pub enum Error {
    /// A back end cannot be used on this machine or in this build.
    BackendUnavailable {
        /// The back end asked for.
        backend: Backend,
        /// Why it is absent, and what to do.
        reason: String,
    },
    /// `OBSIDIAN_BACKEND` names no back end.
    UnknownBackend {
        /// The variable's value.
        found: String,
    },
    /// The back end works but has no device of that number.
    NoSuchDevice {
        /// The back end asked.
        backend: Backend,
        /// The number asked for.
        index: usize,
        /// How many devices there are, numbered from 0.
        count: usize,
    },
    /// The kernel has no variant for these parameters.
    NoVariant {
        /// The kernel's name.
        kernel: &'static str,
        /// What was asked for: `threads = 96, SEQ = 8`.
        wanted: String,
        /// The variants that exist, each written like that.
        variants: Vec<String>,
    },
    /// A launch condition of the kernel does not hold, for instance a length that does not divide.
    Condition {
        /// The kernel's name.
        kernel: &'static str,
        /// What must hold.
        condition: &'static str,
        /// The number found.
        found: u64,
    },
    /// A step of an entry at `Device` could not be done. Steps before it may have been; inputs are as they were.
    Step {
        /// The entry's name.
        entry: &'static str,
        /// The number of the step, from 1.
        step: u32,
        /// What the step is: "launch of `sums_reduce_2`".
        what: String,
        /// Its error.
        source: Box<Error>,
    },
    /// A length, a number of blocks or another size does not fit its type.
    Overflow {
        /// The kernel's name.
        kernel: &'static str,
        /// Which, and its value.
        overflow: Overflow,
    },
    /// A loop of an entry at `Device` would carry more elements than it began with.
    Grown {
        /// The entry's name.
        kernel: &'static str,
        /// The buffer's name.
        buffer: &'static str,
        /// Elements that it began with.
        capacity: u32,
        /// Elements after a round.
        found: u32,
    },
    /// A buffer has another length than the launch needs.
    Length {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Elements needed.
        expected: u64,
        /// Elements found.
        found: u64,
    },
    /// A buffer has more than `u32::MAX` elements: indices are 32 bits wide.
    TooLong {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Elements found.
        found: u64,
    },
    /// A matrix was asked for whose rows and columns do not fit the number of its elements, or are too many for 32 bits.
    Shape {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        cols: usize,
        /// Elements that there are.
        found: usize,
    },
    /// A result was to be written to a matrix of another shape.
    OutputShape {
        /// Rows and columns of the result.
        expected: (u64, u64),
        /// Rows and columns of the matrix given.
        found: (usize, usize),
    },
    /// `write` was given another number of elements than the buffer holds.
    WriteLength {
        /// Elements of the buffer.
        expected: usize,
        /// Elements given.
        found: usize,
    },
    /// `read_into` was given another number of elements than the buffer holds.
    ReadLength {
        /// Elements of the buffer.
        expected: usize,
        /// The number of elements for which there is room.
        found: usize,
    },
    /// A view of a buffer was asked for that is not in it, or whose first element does not lie where kernels can read several
    /// at once.
    View {
        /// Elements of the buffer.
        len: usize,
        /// The first element asked for.
        start: usize,
        /// The element after the last.
        end: usize,
        /// What the first element's fields must lie at a multiple of, in bytes.
        alignment: usize,
    },
    /// A buffer or a stream belongs to another device than the launch.
    WrongDevice {
        /// The kernel's name.
        kernel: &'static str,
        /// What is on the wrong device: "the stream", or a parameter's name.
        what: &'static str,
        /// Name of the device of the launch.
        expected: String,
        /// Name of the device it is on.
        found: String,
    },
    /// An output shares memory with an input or another output.
    Aliasing {
        /// The kernel's name.
        kernel: &'static str,
        /// The output.
        output: &'static str,
        /// The parameter it overlaps.
        other: &'static str,
    },
    /// The kernel needs more than the device has.
    Limit {
        /// The kernel's name.
        kernel: &'static str,
        /// The device's name.
        device: String,
        /// What is limited, with its unit.
        what: &'static str,
        /// The device's limit.
        limit: u64,
        /// What the kernel needs.
        found: u64,
    },
    /// The kernel needs a feature that the device lacks.
    Feature {
        /// The kernel's name.
        kernel: &'static str,
        /// The device's name.
        device: String,
        /// The feature.
        feature: &'static str,
    },
    /// No device of the back end has such a name.
    NoSuchName {
        /// The back end asked.
        backend: Backend,
        /// The name asked for, or a part of it.
        name: String,
        /// The names there are.
        devices: Vec<String>,
    },
    /// A kernel used an index from data that is outside of its array, or a row or a column outside of its matrix: the first such access. A read gave zero, an update
    /// did nothing; what the kernel has written is not to be relied on.
    OutOfRange {
        /// The kernel's name.
        kernel: &'static str,
        /// The array, or the side of a matrix.
        array: IndexedArray,
        /// The index.
        index: u64,
        /// Elements of the array, rows or columns of the matrix.
        len: u64,
    },
    /// An `assert!` of the kernel's author did not hold: one of those that failed. One on lengths and scalar arguments alone is tested
    /// before anything runs; after another, what the kernel has written is not to be relied on.
    Assertion {
        /// The kernel's name.
        kernel: &'static str,
        /// Where it stands, as `src/sums.rs:12:9`; `None` if it is a library's.
        place: Option<&'static str>,
        /// The author's text, with the value that it shows.
        message: String,
    },
    /// The reference interpreter has found a fault in a kernel, or cannot run it. Nothing is written then.
    Faulty {
        /// The kernel's name.
        kernel: &'static str,
        /// What is wrong.
        fault: String,
    },
    /// A launch of zero real blocks was asked for.
    ZeroBlocks {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// The arguments are not those of the kernel's parameters. Calls that the macro generates never meet this.
    Arguments {
        /// The kernel's name.
        kernel: &'static str,
        /// What the kernel declares.
        expected: String,
        /// What was given.
        found: String,
    },
    /// The scalars give another launch than the one that was prepared.
    NotAsPrepared {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// The kernel cannot run on several devices at once.
    NotSplittable {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter that stands against it.
        parameter: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A launch on several devices was given none, or none with a share.
    NoDevices {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// A device of several could not do its part of a launch.
    Part {
        /// The device's name.
        device: String,
        /// The first of its blocks.
        first: u32,
        /// The block after its last.
        end: u32,
        /// Its error.
        source: Box<Error>,
    },
    /// The moments are marked on streams of different devices.
    MomentsApart {
        /// Name of the device of the later one.
        expected: String,
        /// Name of the other's.
        found: String,
    },
    /// An exchange between the ranks of a program failed, on all of them ([`exchange`](crate::exchange)).
    Exchange {
        /// The rank that is to blame.
        rank: usize,
        /// The number of the exchange that failed, from 1; 0 where the ranks meet.
        step: u64,
        /// What is exchanged: the method's name.
        operation: &'static str,
        /// What went wrong, as the rank has told that found it.
        reason: String,
    },
    /// The driver reported an error after which nothing runs on the device in this process: a kernel that faulted, a fault of
    /// the hardware. Every later call gives an error too. Its text is the [source](std::error::Error::source).
    DeviceLost {
        /// The device's name.
        device: String,
        /// What was being done; the fault may lie in an earlier launch.
        action: String,
        /// The driver's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A context, a stream, a slice or other memory of the caller's cannot be used, or a graph no longer.
    NotUsable {
        /// What: "the slice", "the stream", "the graph".
        what: &'static str,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// Memory of the caller's, or a tensor, is not what a buffer can be made of.
    NotTaken {
        /// What: "the memory", "the tensor".
        what: &'static str,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// Something that was asked of a stream while it records cannot be a part of a graph.
    NotRecordable {
        /// What: "kernel `sums`", "a wait for the stream".
        what: String,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// The memory is not there.
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Bytes asked for.
        bytes: u64,
    },
    /// The size of a buffer in bytes does not fit an address.
    SizeOverflow {
        /// Elements asked for.
        len: usize,
        /// Bytes of one element.
        element_bytes: usize,
    },
    /// The driver reported an error; its text is the [source](std::error::Error::source).
    Driver {
        /// The device's name.
        device: String,
        /// What was being done.
        action: String,
        /// The driver's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What an index is out of range of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexedArray {
    /// A parameter of the kernel; in an entry of several launches what its code calls the array, where it names it.
    Named(&'static str),
    /// The rows of a parameter that is a matrix.
    Rows(&'static str),
    /// The columns of such a parameter.
    Columns(&'static str),
    /// An array that the kernel computes.
    Computed,
}

impl IndexedArray {
    /// What an entry of [`Variant::guarded`](obsidian_abi::Variant::guarded) stands for: names are in quotes; without any are words for an
    /// array that the kernel computes.
    pub(crate) fn of_entry(entry: &'static str) -> IndexedArray {
        let side = |prefix, side: fn(&'static str) -> IndexedArray| Some((entry.strip_prefix(prefix)?, side));
        let (name, of_name) = side(ROWS_OF, IndexedArray::Rows)
            .or_else(|| side(COLUMNS_OF, IndexedArray::Columns))
            .unwrap_or((entry, IndexedArray::Named));
        name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).map_or(IndexedArray::Computed, of_name)
    }

    /// The same of a parameter with another name.
    pub(crate) fn renamed(self, new: impl FnOnce(&'static str) -> &'static str) -> IndexedArray {
        match self {
            IndexedArray::Named(name) => IndexedArray::Named(new(name)),
            IndexedArray::Rows(name) => IndexedArray::Rows(new(name)),
            IndexedArray::Columns(name) => IndexedArray::Columns(new(name)),
            IndexedArray::Computed => IndexedArray::Computed,
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Driver { source, .. } | Error::DeviceLost { source, .. } => Some(source.as_ref()),
            Error::Part { source, .. } | Error::Step { source, .. } => Some(source.as_ref()),
            _ => None,
        }
    }
}

impl Error {
    /// Of a condition of a launch that does not hold: an `assert!` of the kernel's author, or one that the compiler asks for.
    pub(crate) fn of_condition(kernel: &'static str, condition: &'static str, found: u64) -> Error {
        match assertion::failed(condition, found) {
            Some(Failed { message, place }) => Error::Assertion { kernel, place, message },
            None => Error::Condition { kernel, condition, found },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn messages_hold_the_numbers() {
        let variants = (0..40).map(|i| format!("threads = {}", 64 * (i + 1))).collect();
        let error = Error::NoVariant { kernel: "reductions", wanted: "threads = 96".into(), variants };
        let text = error.to_string();
        assert!(
            text.contains("`reductions` has no variant with threads = 96; there are: threads = 64; threads = 128;")
        );
        assert!(text.contains("; and 20 more"), "{text}");
        let error = Error::Condition { kernel: "k", condition: "`input.len()` must be a multiple of 512", found: 700 };
        assert_eq!(
            error.to_string(),
            "kernel `k` cannot be launched: `input.len()` must be a multiple of 512, found 700"
        );
    }

    #[test]
    fn driver_errors_keep_their_source() {
        let error = Error::Driver { device: "gpu".into(), action: "copy".into(), source: "lost".into() };
        assert_eq!(error.to_string(), "gpu: could not copy: lost");
        assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("lost"));
        assert!(Error::ZeroBlocks { kernel: "k" }.source().is_none());
    }
}
