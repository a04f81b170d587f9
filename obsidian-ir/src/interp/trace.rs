//! A trace of a run: which element each access touches, and which instance of which loop over threads asks for it.

use crate::level::Level;
use crate::program::ArrayId;
use crate::program::walk::Kind;

/// An access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// The array.
    pub array: ArrayId,
    /// The element; of several, the first.
    pub index: u64,
    /// The number of elements: more than one of a vector.
    pub width: u32,
    /// How it is touched.
    pub kind: Kind,
    /// The virtual block, numbered through all loops of the grid.
    pub block: u32,
    /// The real warp, where it is one.
    pub warp: Option<u32>,
    /// Who asks.
    pub asked: Asked,
}

/// Who asks for an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Asked {
    /// The statement: a number that no other statement of the run has.
    pub statement: usize,
    /// Whose threads the loop over threads is shared out to; `None` before the first loop.
    pub of: Option<Level>,
    /// The loop over threads, numbered as they begin; 0 outside of all.
    pub run: u32,
    /// The instance.
    pub instance: u64,
}
