//! The CUDA back end: devices of the NVIDIA driver, which is loaded at run time. In: PTX text and checked arguments;
//! out: launches in stream order. Of cudarc's types only those of `interop` leave this folder; every driver error becomes an
//! [`Error`].

mod gpu;
mod graph;
mod launch;
mod memory;
mod pinned;

pub(crate) use gpu::{Function, Gpu, Mark, Queue, device_count};
pub(crate) use graph::{Graph, Node};
pub(crate) use launch::Launch;
pub(crate) use memory::{DeviceBytes, Foreign, start};
pub(crate) use pinned::PinnedBytes;

use cudarc::driver::{DriverError, sys::CUresult};

use crate::error::Error;

/// The driver's error, with what was being done.
fn failed(device: &str, action: impl Into<String>) -> impl FnOnce(DriverError) -> Error {
    move |source| {
        let (device, action, sticks) = (device.to_owned(), action.into(), sticks(source.0));
        let source = Box::new(source);
        if sticks { Error::DeviceLost { device, action, source } } else { Error::Driver { device, action, source } }
    }
}

/// Whether the context is of no use after this error (CUDA driver API, `CUresult`: "the process must be terminated and
/// relaunched", and what a lost device gives).
fn sticks(code: CUresult) -> bool {
    matches!(
        code,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_ASSERT
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
            | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE
    )
}

/// As [`failed`], for an allocation of `bytes`.
fn not_allocated(device: &str, bytes: usize) -> impl FnOnce(DriverError) -> Error {
    move |source| match source.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::OutOfMemory { device: device.to_owned(), bytes: bytes as u64 },
        _ => failed(device, format!("allocate {bytes} bytes"))(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: CUresult) -> Error {
        failed("a GPU", "copy")(DriverError(code))
    }

    #[test]
    fn errors_that_stick_say_that_the_device_is_lost() {
        for code in [CUresult::CUDA_ERROR_ILLEGAL_ADDRESS, CUresult::CUDA_ERROR_LAUNCH_FAILED] {
            assert!(matches!(told(code), Error::DeviceLost { .. }), "{code:?}");
        }
        for code in [CUresult::CUDA_ERROR_INVALID_VALUE, CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES] {
            assert!(matches!(told(code), Error::Driver { .. }), "{code:?}");
        }
    }

    #[test]
    fn too_little_memory_is_an_error_of_its_own() {
        let error = not_allocated("a GPU", 12)(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
        assert!(matches!(error, Error::OutOfMemory { bytes: 12, .. }), "{error:?}");
        let error = not_allocated("a GPU", 12)(DriverError(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS));
        assert!(matches!(error, Error::DeviceLost { .. }), "{error:?}");
    }
}
