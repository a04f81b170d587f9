//! CUDA C, as a table of spellings over the shared walker `backend::c`: machine form in, one kernel out that compiles
//! alone under NVRTC and nvcc, and includes nothing.

use super::c::dialect::{Contract, Dialect, Function, Native};
use super::c::spelling::{Prec, Text};
use super::c::{self, names};
use crate::level::Level;
use crate::program::{AtomicOp, Program, ScalarType, Special};

/// The name of a kernel's function: the user's own wherever C and PTX allow it.
pub fn symbol(name: &str) -> String {
    names::symbol(name, RESERVED)
}

/// Prints a program in machine form as CUDA C. The function bears `Program::name`.
pub fn print(p: &Program) -> String {
    c::print(p, &CUDA)
}

pub(super) static CUDA: Dialect = Dialect {
    ty,
    stored_bool: "bool",
    long: "ll",
    unsigned_long: "ull",
    special: |s| match s {
        Special::Tid => Text::primary("threadIdx.x"),
        Special::WarpId => Text::new("threadIdx.x / 32u", Prec::Product),
        Special::Lane => Text::new("threadIdx.x % 32u", Prec::Product),
        Special::BlockIdx => Text::primary("blockIdx.x"),
        Special::GridDim => Text::primary("gridDim.x"),
    },
    function,
    from_bits: |ty| if ty == ScalarType::F32 { "__int_as_float" } else { "__longlong_as_double" },
    to_bits: |ty| if ty == ScalarType::F32 { "__float_as_int" } else { "__double_as_longlong" },
    space: |_| "",
    restrict: "__restrict__",
    helper: "static __device__",
    kernel: |name, threads, parameters| {
        format!("extern \"C\" __global__ void __launch_bounds__({threads}) {name}(\n    {parameters})")
    },
    shared: |bytes| format!("__shared__ __align__(128) unsigned char smem[{bytes}];"),
    barrier: |scope, lanes, _| match (scope, lanes) {
        (Level::Warp, 32) => "__syncwarp();".to_string(),
        (Level::Warp, _) => format!("__syncwarp({:#x}u);", (1u64 << lanes) - 1),
        _ => "__syncthreads();".to_string(),
    },
    atomic,
    compare_exchange: |_| "atomicCAS",
    contract: Contract {
        launch: |n| format!("{n} threads per block, in x; any number of blocks from 1 up, in x"),
        block: "block",
        shared: |bytes| format!("Shared memory: {bytes} bytes, static; no dynamic shared memory."),
    },
    prologue: |_, _| String::new(),
    symbol: str::to_string,
    reserved: RESERVED,
};

/// Sizes are those of every CUDA host compiler.
fn ty(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "signed char",
        ScalarType::I16 => "short",
        ScalarType::I32 => "int",
        ScalarType::I64 => "long long",
        ScalarType::U8 => "unsigned char",
        ScalarType::U16 => "unsigned short",
        ScalarType::U32 => "unsigned int",
        ScalarType::U64 => "unsigned long long",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// A product is an intrinsic, which the compiler may not contract with a sum.
fn function(function: Function, ty: ScalarType) -> Option<String> {
    let single = ty == ScalarType::F32;
    let intrinsic = |name: &str| Some(format!("__{}{name}_rn", if single { "f" } else { "d" }));
    let library = |name: &str| Some(format!("{name}{}", if single { "f" } else { "" }));
    match function {
        Function::Mul => intrinsic("mul"),
        Function::Sqrt => intrinsic("sqrt"),
        Function::Abs => library("fabs"),
        Function::Floor => library("floor"),
        Function::Ceil => library("ceil"),
        Function::Trunc => library("trunc"),
        Function::Rem => library("fmod"),
        Function::Min => library("fmin"),
        Function::Max => library("fmax"),
    }
}

/// What there is from sm_70 on.
fn atomic(op: AtomicOp, ty: ScalarType) -> Option<Native> {
    use ScalarType::{F32, F64, I32, I64, U32, U64};
    let function = match op {
        AtomicOp::Add => "atomicAdd",
        AtomicOp::Min => "atomicMin",
        AtomicOp::Max => "atomicMax",
        AtomicOp::And => "atomicAnd",
        AtomicOp::Or => "atomicOr",
        AtomicOp::Xor => "atomicXor",
        AtomicOp::Exchange => "atomicExch",
    };
    let ordered = matches!(op, AtomicOp::Min | AtomicOp::Max);
    match (ty, op) {
        (I32 | U32 | U64, _) | (F32 | F64, AtomicOp::Add) | (F32, AtomicOp::Exchange) => Some((function, None)),
        (I64, _) => Some((function, (!ordered).then_some(U64))),
        _ => None,
    }
}

#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "warpSize", "threadIdx", "blockIdx", "blockDim", "gridDim", "min", "max", "fminf", "fmin", "fmaxf", "fmax", "fmodf",
    "fmod", "fabsf", "fabs", "floorf", "floor", "ceilf", "ceil", "truncf", "trunc", "atomicAdd", "atomicMin", "atomicMax",
    "atomicAnd", "atomicOr", "atomicXor", "atomicExch", "atomicCAS",
];

#[cfg(test)]
mod tests;
