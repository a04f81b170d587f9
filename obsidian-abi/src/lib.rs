//! What the Obsidian compiler and its runtime agree on: scalar types and what their operations mean, the data of a kernel,
//! and of a module of several launches.
//!
//! Data, and its meaning. It imports nothing of ours and nothing else either, since every user builds it twice: for the macro and
//! for the program. The conversions are written here rather than taken from the crate `half`: those branch, and the CPU's
//! loops over arrays of 16-bit floats are only fast without. `half` is what they are tested against.

pub mod arith;
pub mod assertion;
pub mod cost;
mod float;
pub mod guarded;
mod json;
mod kernel;
mod launch;
pub mod module;
mod operators;
mod scalar;
pub mod traffic;

pub use float::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, max_f32, max_f64, min_f32, min_f64};
pub use kernel::{
    KernelInfo, Language, MAX_STATIC_SHARED, Need, ParamInfo, ParamKind, ParamValue, Text, Variant, dynamic_shared,
    shown,
};
pub use launch::{Geometry, GeometryFn, MIN_BYTES_PAST_CACHES, NativeArgs, NativeFn, Refusal, Shape};
pub use operators::{BinClass, BinOp, Const, UnClass, UnOp};
pub use scalar::ScalarType;
