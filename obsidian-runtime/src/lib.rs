//! Devices, buffers and launches for Obsidian kernels.
//!
//! In: the constants that `kernel!` embeds ([`abi`]) and the user's buffers. Out: launches on the CPU, or on an NVIDIA
//! GPU whose driver is loaded at run time. Knows nothing of the compiler.

#[doc(hidden)]
pub mod abi;
mod buffer;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod element;
mod error;
#[cfg(test)]
mod fixtures;
mod half;
mod kernel;
mod launch;
mod stream;

pub use ::half::{bf16, f16};
pub use buffer::Buffer;
pub use device::{Backend, BackendInfo, Device, backends};
pub use element::Element;
pub use error::Error;
pub use kernel::{Kernel, KernelVariant, LaunchOptions, Params};
pub use stream::Stream;
