//! The data of a launch: what the code of a kernel is given, and what it answers.

use std::ops::Range;

/// What a launch needs: `blocks` virtual blocks, and each output's length in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Geometry {
    /// Virtual blocks. Zero: nothing to do.
    pub blocks: u32,
    /// Length of each output.
    pub outputs: Vec<u64>,
    /// Rows and columns of the outputs that are matrices.
    pub matrices: Vec<Shape>,
}

impl Geometry {
    /// A launch without matrices among its outputs.
    pub fn of(blocks: u32, outputs: Vec<u64>) -> Geometry {
        Geometry { blocks, outputs, matrices: Vec::new() }
    }
}

/// Rows and columns of an output that is a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Which output, counted from 0.
    pub output: usize,
    /// The number of rows.
    pub rows: u64,
    /// The number of columns.
    pub cols: u64,
}

/// A launch condition that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What must hold.
    pub condition: &'static str,
    /// The value found.
    pub found: u64,
}

/// Checks the lengths of a launch and computes its size. It takes one value per parameter that is not an output: the length
/// of a buffer, the bits of a scalar.
pub type GeometryFn = fn(&[u64]) -> Result<Geometry, Refusal>;

/// Outputs of at least so many bytes are too large for a processor's caches, and the CPU versions write them past these; smaller ones
/// stay there, where whoever reads them next finds them.
pub const MIN_BYTES_PAST_CACHES: usize = 4 << 20;

/// The arguments of a native launch, flattened, each list in the order of the parameters.
#[derive(Debug, Clone, Copy)]
pub struct NativeArgs<'a> {
    /// One pointer per field: inputs and updated buffers, then outputs, then the record of faults, if any.
    pub buffers: &'a [*mut u8],
    /// The length of each input and updated buffer, also where the type fixes it.
    pub lens: &'a [u32],
    /// The bits of each scalar (floats: `to_bits`; integers: sign- or zero-extended; bool: 0 or 1).
    pub scalars: &'a [u64],
}

// SAFETY: the pointers are only used by native kernels, whose blocks write disjoint parts of the outputs, only read
// the inputs, and touch what another block updates by atomic operations only; whoever makes a `NativeArgs` keeps the buffers alive for the launch.
unsafe impl Sync for NativeArgs<'_> {}
// SAFETY: as above.
unsafe impl Send for NativeArgs<'_> {}

/// Runs the virtual blocks of `range`, in order.
///
/// # Safety
/// Pointers, lengths and scalars must be those of the kernel's parameters, the outputs as long as `geometry` said, and
/// no two calls that run at the same time may share a block.
pub type NativeFn = unsafe fn(&NativeArgs<'_>, Range<u32>);
