//! The rows of the table: functions of the library, a kernel of them, and what it means on lists.

mod any_length;
mod block;
mod device;
mod known;
mod lists;
mod narrow;

/// What a kernel takes and how it is written around a row's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `xs` is the input at `Grid`.
    Grid,
    /// `c` is a chunk of at most 64 elements of it, in a block.
    Chunk,
    /// `c` is a chunk of exactly 64, what the last one lacks being 7, in a block.
    Padded,
    /// `c` is a warp's 32 of the same.
    Warp,
    /// `c` is a thread's 8 of the same.
    Thread,
    /// `xs` is the input at `Device`.
    Device,
    /// The same, for a result that is one value.
    OfDevice,
}

/// A row: functions by name, the form of the kernel, its text, and what it gives: of the whole input, or of each part.
pub type Row = (&'static str, Form, &'static str, fn(&[u32]) -> Vec<u32>);

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [any_length::ROWS, block::ROWS, known::ROWS, narrow::ROWS, device::ROWS].into_iter().flatten()
}
