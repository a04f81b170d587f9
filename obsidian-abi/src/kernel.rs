//! The data of a kernel: what the compiler prints as constants and the runtime reads. In texts a kernel is a function of its
//! parameters; here stand their kinds, what each text needs of a device, and the functions that the CPU runs.

use std::fmt;

use crate::cost::Cost;
use crate::{GeometryFn, NativeFn, ScalarType};

/// An entry of a `kernel!`: everything the runtime knows of it.
#[derive(Debug)]
pub struct KernelInfo {
    /// The entry's name in source.
    pub name: &'static str,
    /// One per combination of the attribute's parameters, in order; never empty.
    pub variants: &'static [Variant],
}

/// A parameter, as declared.
#[derive(Debug)]
pub struct ParamInfo {
    /// The user's name; outputs are `out`, `out1` ..
    pub name: &'static str,
    /// What it is.
    pub kind: ParamKind,
    /// Element types of the fields (one unless a tuple); of a scalar, its type.
    pub fields: &'static [ScalarType],
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

/// What a generic of an entry stands for in a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamValue {
    /// A whole number.
    Int(i128),
    /// A boolean.
    Bool(bool),
    /// An element type.
    Type(ScalarType),
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
    /// The printed IR.
    pub ir: &'static str,
    /// What it costs on a GPU, as a table.
    pub report: &'static str,
    /// The same as data.
    pub cost: &'static Cost,
    /// What runs elsewhere than on the CPU, and what goes with it; at most one per language.
    pub texts: &'static [Text],
    /// Where accesses are guarded: what each array's number stands for in a message. Then the kernel has one parameter
    /// more, the last: two `u64`, zero at launch, that record the first access out of range: the array's number plus one
    /// in the high half, the index in the low half; the array's length. A name that begins with `assert!` is an assertion's text, and
    /// behind it on a line of its own where it stands: its number says that it failed, and the low half is the value that belongs where the
    /// text has a type in braces. One that begins with [`ROWS_OF`](crate::guarded::ROWS_OF) or [`COLUMNS_OF`](crate::guarded::COLUMNS_OF) is a side of the matrix that follows.
    pub guarded: &'static [&'static str],
    /// One per output: block `b` writes its elements from `n b` to `n (b + 1)`, as far as it goes, and no others. `None`
    /// where the compiler has not proved such an `n`.
    pub parts: &'static [Option<u32>],
    /// Checks the lengths and computes the launch.
    pub geometry: GeometryFn,
    /// Runs some blocks on the CPU.
    pub native: NativeFn,
}

impl fmt::Display for Variant {
    /// `threads = 64, SEQ = 8, T = i32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown((self.threads, self.values)))
    }
}

/// What a variant with this number of threads and these values is called: `threads = 64, SEQ = 8, T = i32`.
pub fn shown((threads, values): (u32, &[(&str, ParamValue)])) -> String {
    let values = values.iter().map(|(name, value)| format!(", {name} = {value}"));
    format!("threads = {threads}{}", values.collect::<String>())
}

impl Variant {
    /// The text in a language.
    pub const fn text(&self, language: Language) -> Option<&'static Text> {
        let mut at = 0;
        while at < self.texts.len() {
            if self.texts[at].language as u8 == language as u8 {
                return Some(&self.texts[at]);
            }
            at += 1;
        }
        None
    }
}

/// A language that kernels are printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Language {
    /// PTX. Parameters: for each input and updated buffer its fields' pointers (`u64`) and, where its length is dynamic, the
    /// length (`u32`); for each scalar its value; for each output its fields' pointers. Every pointer is a multiple of 16.
    Ptx,
    /// CUDA C, same parameters.
    CudaC,
    /// The C header with the launch contract of both.
    Header,
    /// OpenCL C for all devices. Parameters as of the PTX, pointers in `__global`.
    OpenClC,
    /// The same for devices with sub-groups of 32 and shuffles, of programs of warps.
    OpenClSubGroups,
}

/// The most bytes of static shared memory of a block on CUDA. More is dynamic, and the driver must be asked to allow it.
pub const MAX_STATIC_SHARED: u32 = 49152;

/// The part of a block's `bytes` of shared memory that a launch on CUDA passes as dynamic: all or none.
pub const fn dynamic_shared(bytes: u32) -> u32 {
    if bytes > MAX_STATIC_SHARED { bytes } else { 0 }
}

/// A variant in one of the languages.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// Which.
    pub language: Language,
    /// The text.
    pub source: &'static str,
    /// Name of the function in it.
    pub symbol: &'static str,
    /// Shared memory per block, in bytes; in OpenCL C more than on CUDA where warps tell one another when to go on. On CUDA it
    /// is static up to [`MAX_STATIC_SHARED`], and else all of it is dynamic.
    pub shared_bytes: u32,
    /// Real blocks to launch for each block of the launch: in OpenCL C one for each round of its threads, where these never
    /// meet. 1 in the other languages.
    pub rounds: u32,
    /// What a device must have.
    pub needs: &'static [Need],
}

/// A feature that a device may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
