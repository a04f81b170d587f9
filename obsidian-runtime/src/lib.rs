//! Devices, buffers and launches for Obsidian kernels.
//!
//! In: the constants that `kernel!` embeds ([`abi`]) and the user's buffers. Out: launches on the CPU, or on a device whose
//! driver (CUDA or OpenCL) is loaded at run time. Knows nothing of the compiler, but for the feature `check`: the
//! reference interpreter as a device.

#[doc(hidden)]
pub mod abi;
mod buffer;
#[cfg(feature = "check")]
mod check;
mod choice;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod element;
mod error;
#[cfg(test)]
mod fixtures;
mod graph;
#[cfg(feature = "cuda")]
mod interop;
mod kernel;
mod launch;
mod opencl;
mod pinned;
mod select;
mod split;
mod stream;

pub use ::half::{bf16, f16};
pub use buffer::Buffer;
pub use choice::{Choice, Chooses, Params};
/// The crate whose streams and slices [`Stream::from_cuda`] and [`Buffer::from_cuda`] take, in the version that fits.
#[cfg(feature = "cuda")]
pub use cudarc;
pub use device::{Backend, Device, Limits};
pub use element::Element;
pub use error::Error;
pub use graph::{Buffers, Graph};
#[cfg(feature = "cuda")]
pub use interop::Lent;
pub use kernel::{Kernel, KernelVariant, LaunchOptions};
pub use obsidian_abi::ParamValue;
pub use pinned::Pinned;
pub use select::{BackendInfo, DeviceInfo, Selector, backends};
pub use split::Share;
pub use stream::{Moment, Stream};
