//! Devices, buffers and launches for Obsidian kernels.
//!
//! In: the constants that `kernel!` embeds ([`abi`]) and the user's buffers. Out: launches on the CPU, or on a device whose
//! driver (CUDA or OpenCL) is loaded at run time. Knows nothing of the compiler, but for the feature `check`: the
//! reference interpreter as a device.

#[doc(hidden)]
pub mod abi;
mod backend;
mod device;
mod element;
mod error;
#[cfg(test)]
mod fixtures;
mod graph;
mod host;
mod info;
#[cfg(feature = "cuda")]
mod interop;
mod kernel;
#[doc(hidden)]
pub mod lanes;
mod launch;
mod memory;
mod module;
mod pinned;
mod record;
mod split;
mod stream;

pub use ::half::{bf16, f16};
/// The crate whose streams and slices [`Stream::from_cuda`] and [`Buffer::from_cuda`] take, in the version that fits.
#[cfg(feature = "cuda")]
#[doc(no_inline)]
pub use cudarc;
pub use device::{BackendInfo, Device, Selector, backends};
pub use element::Element;
pub use error::{Error, IndexedArray};
pub use graph::{Buffers, Graph};
pub use info::{Backend, DeviceInfo, Limits};
pub use kernel::{Choice, Chooses, Kernel, KernelVariant, Params};
pub use launch::LaunchOptions;
pub use memory::{Buffer, Lent, Matrix};
pub use module::Module;
pub use obsidian_abi::{ParamValue, cost};
pub use pinned::Pinned;
pub use split::Share;
pub use stream::{Moment, Stream};
