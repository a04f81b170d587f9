//! Devices, buffers and launches for Obsidian kernels.
//!
//! In: the constants that `kernel!` embeds ([`abi`]) and the user's buffers. Out: launches on the CPU, or on a device whose
//! driver (CUDA or OpenCL) is loaded at run time. Knows nothing of the compiler, but for the feature `check`: programs
//! as they are printed, and their reference interpreter as a device.

#[doc(hidden)]
pub mod abi;
mod backend;
mod call;
mod device;
mod dlpack;
mod element;
mod error;
pub mod exchange;
#[cfg(test)]
mod fixtures;
mod graph;
mod host;
mod info;
#[cfg(feature = "cudarc")]
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
pub mod wisdom;

pub use ::half::{bf16, f16};
#[cfg(feature = "ndarray")]
pub use call::Arrays;
pub use call::{Input, OnDevice, Side, Update, Values};
/// The crate whose streams and slices [`Stream::from_cuda`] and [`Buffer::from_cuda`] take, in the version that fits.
#[cfg(feature = "cudarc")]
#[doc(no_inline)]
pub use cudarc;
pub use device::{BackendInfo, Device, Selector, backends};
pub use dlpack::{DataType, Managed, Place, Raw, Tensor};
pub use element::Element;
pub use error::{Error, IndexedArray};
pub use graph::{Buffers, Graph};
pub use info::{Backend, DeviceInfo, Limits};
pub use kernel::{Choice, Chooses, Kernel, KernelVariant, Params};
pub use launch::LaunchOptions;
pub use memory::{Buffer, Lent, Matrix, Whole};
pub use module::Module;
pub use obsidian_abi::{ParamValue, cost, traffic};
pub use pinned::Pinned;
pub use split::Share;
pub use stream::{Moment, Stream};

/// What the pages say may be shared between threads.
#[cfg(test)]
mod threads {
    use super::*;

    fn shared<T: Send + Sync>() {}

    #[test]
    fn may_be_used_by_several_threads_at_once() {
        shared::<(Device, Stream, Moment, Share, Tensor)>();
        shared::<(Buffer<f32>, Matrix<(u8, f64)>, Lent<'static, u32>, Pinned<f32>)>();
        shared::<(Kernel, KernelVariant, Module, LaunchOptions, Error)>();
        shared::<(wisdom::Wisdom, wisdom::Known, wisdom::Chosen)>();
        shared::<(launch::Plan, module::ModulePlan)>();
        fn moved<T: Send>() {}
        moved::<Graph<Vec<Buffer<f32>>>>();
    }
}
