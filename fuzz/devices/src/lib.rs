//! Random kernels on devices: the CPU versions that the Rust back end prints, compiled by rustc and loaded, and the OpenCL
//! C, both launched by the runtime, against what the kernels mean. For tests; ships nowhere.

mod batch;
mod blocks;
mod checks;
mod launch;
mod loaded;
mod opencl;
mod row;

pub use checks::{Checks, Complaints, On};
