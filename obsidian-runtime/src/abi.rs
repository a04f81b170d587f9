//! What the code that `kernel!` generates is written against: the constants of a kernel and the calls that launch it.
//!
//! Hidden from the documentation; a change here is a change of `obsidian-ir/src/backend/rust` in the same commit.

use std::fmt;
use std::ops::Range;

pub use crate::buffer::RawBuffer;
pub use crate::choice::{Choice, Chooses};
pub use crate::element::ScalarArg;
pub use crate::launch::{Arg, Plan, plan};
pub use crate::scalar::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, max_f32, max_f64, min_f32, min_f64};
pub use crate::split::{Part, Split};
pub use ::half::{bf16, f16};

/// An entry of a `kernel!`: everything the runtime knows of it.
#[derive(Debug)]
pub struct KernelInfo {
    /// The entry's name in source.
    pub name: &'static str,
    /// One a combination of the attribute's parameters, in order; never empty.
    pub variants: &'static [Variant],
    /// What it was compiled from, where the feature `check` embeds it.
    pub source: Option<Source>,
}

/// The text of a `kernel!`, and those of the libraries that it uses, one a path.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// What stands inside `kernel! { .. }`.
    pub kernels: &'static str,
    /// What each library path in it leads to.
    pub libraries: &'static [&'static str],
}

/// A parameter, as declared.
#[derive(Debug)]
pub struct ParamInfo {
    /// The user's name; outputs are `out`, `out1` ..
    pub name: &'static str,
    /// What it is.
    pub kind: ParamKind,
    /// Element types of the fields (one unless a tuple); of a scalar, its type.
    pub fields: &'static [DType],
}

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// A buffer that is read. `Some(n)` where the type fixes the length.
    Input(Option<u32>),
    /// A buffer that is read and updated in place. `Some(n)` where the type fixes the length.
    InOut(Option<u32>),
    /// A scalar.
    Scalar,
    /// A buffer that is written whole.
    Output,
}

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
}

impl DType {
    /// Bytes of one stored value (a bool takes one byte).
    pub const fn bytes(self) -> usize {
        match self {
            DType::Bool | DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 | DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 => 8,
        }
    }

    /// The type's name in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a generic of an entry stands for in a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamValue {
    /// A whole number.
    Int(i128),
    /// A boolean.
    Bool(bool),
    /// An element type.
    Type(DType),
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamValue::Int(v) => write!(f, "{v}"),
            ParamValue::Bool(b) => write!(f, "{b}"),
            ParamValue::Type(t) => write!(f, "{t}"),
        }
    }
}

/// One compiled form of an entry.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The entry's generics, in order, and what they stand for here.
    pub values: &'static [(&'static str, ParamValue)],
    /// The inputs and scalars as declared, then the outputs.
    pub params: &'static [ParamInfo],
    /// Real threads per block.
    pub threads: u32,
    /// Static shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Name of the function in `ptx` and `cuda`.
    pub symbol: &'static str,
    /// The printed IR.
    pub ir: &'static str,
    /// What it costs on a GPU, as a table.
    pub report: &'static str,
    /// PTX. Parameters: for each input and updated buffer its fields' pointers (`u64`) and, where its length is dynamic,
    /// the length (`u32`); for each scalar its value; for each output its fields' pointers. Every pointer is a multiple of 16.
    pub ptx: &'static str,
    /// CUDA C, same parameters.
    pub cuda: &'static str,
    /// The C header with the launch contract of both.
    pub header: &'static str,
    /// What runs on OpenCL devices.
    pub opencl: OpenCl,
    /// Where accesses are guarded: what each array's number stands for in a message. Then the kernel has one parameter
    /// more, the last: two `u64`, zero at launch, that record the first access out of range: the array's number plus one
    /// in the high half, the index in the low half; the array's length.
    pub guarded: &'static [&'static str],
    /// One an output: block `b` writes its elements from `n b` to `n (b + 1)`, as far as it goes, and no others. `None`
    /// where the compiler has not proved such an `n`.
    pub parts: &'static [Option<u32>],
    /// Checks the lengths and computes the launch. Arguments: one value a parameter that is not an output: the length
    /// of a buffer, the bits of a scalar ([`Scalar bits`](KernelInfo)).
    pub geometry: fn(&[u64]) -> Result<Geometry, Refusal>,
    /// Runs some blocks on the CPU.
    pub native: NativeFn,
}

impl Variant {
    /// `threads = 64, SEQ = 8, T = i32`.
    pub(crate) fn fmt_parameters(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "threads = {}", self.threads)?;
        self.values.iter().try_for_each(|(name, value)| write!(f, ", {name} = {value}"))
    }
}

/// The OpenCL C of a variant.
#[derive(Debug, Clone)]
pub struct OpenCl {
    /// The text. Parameters as of the PTX, pointers in `__global`.
    pub source: &'static str,
    /// Name of the function in it.
    pub symbol: &'static str,
    /// Static local memory per work-group, in bytes; more than on CUDA where warps tell one another when to go on.
    pub shared_bytes: u32,
    /// What a device must have.
    pub needs: &'static [Need],
    /// The same for devices whose sub-groups are warps; `None` where it is no program of warps.
    pub sub_groups: Option<SubGroups>,
}

/// The OpenCL C of a variant for devices with sub-groups of 32 and shuffles. Symbol, parameters and needs are those of the
/// text for all devices.
#[derive(Debug, Clone, Copy)]
pub struct SubGroups {
    /// The text.
    pub source: &'static str,
    /// Static local memory per work-group, in bytes.
    pub shared_bytes: u32,
}

/// A feature that an OpenCL device may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// `double`.
    F64,
    /// Atomic operations on 64 bits.
    Atomics64,
    /// Correctly rounded division and square root of `float`.
    RoundedDivision,
    /// Subnormal numbers of `float`.
    Subnormals,
}

impl Need {
    /// What it is, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Need::F64 => "`f64` (cl_khr_fp64)",
            Need::Atomics64 => "atomics on 64 bits (cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics)",
            Need::RoundedDivision => "correctly rounded division and square root of `f32`",
            Need::Subnormals => "subnormal numbers of `f32`",
        }
    }
}

/// What a launch needs: `blocks` virtual blocks, and each output's length in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Geometry {
    /// Virtual blocks. Zero: nothing to do.
    pub blocks: u32,
    /// Length of each output.
    pub outputs: Vec<u64>,
}

/// A launch condition that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What must hold.
    pub condition: &'static str,
    /// The value found.
    pub found: u64,
}

/// The arguments of a native launch, flattened. Buffers: one pointer a field, inputs and updated buffers, then outputs, in
/// the order of the parameters; `lens`: one an input or updated buffer (also where the type fixes it); `scalars`: bits,
/// one a scalar parameter.
#[derive(Debug, Clone, Copy)]
pub struct NativeArgs<'a> {
    /// Field pointers of inputs, updated buffers and outputs; then the record of faults, if any.
    pub buffers: &'a [*mut u8],
    /// Lengths of inputs and updated buffers.
    pub lens: &'a [u32],
    /// Bits of scalars, zero-extended (floats: `to_bits`; integers: as stored, sign- or zero-extended; bool: 0 or 1).
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
