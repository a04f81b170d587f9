//! One table of the algorithms at `Device`: each of them for `u32`, `i64`, `f32`, `f64` and pairs, with three operators, orders, keys or
//! choices, beside what it means in plain Rust. Tests run it on every device. Floats are such that no sum is rounded, so that plain Rust
//! gives their bits; of sums that are rounded, a cell asks for the CPU's bits.

// As in the crate of the programs: it is kernels above all.
#![allow(clippy::all)]

mod cells;
mod entries;
mod items;
pub mod kernels;
mod model;

pub use cells::{Cell, cells};
