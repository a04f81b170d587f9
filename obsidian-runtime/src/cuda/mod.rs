//! The CUDA back end: devices of the NVIDIA driver, which is loaded at run time. In: PTX text and checked arguments;
//! out: launches in stream order. No cudarc type leaves this folder; every driver error becomes an [`Error`].

mod gpu;
mod launch;
mod memory;

pub(crate) use gpu::{Function, Gpu, Mark, Queue, device_count};
pub(crate) use launch::Launch;
pub(crate) use memory::DeviceBytes;

use cudarc::driver::{DriverError, sys::CUresult};

use crate::error::Error;

/// The driver's error, with what was being done.
fn failed(device: &str, action: impl Into<String>) -> impl FnOnce(DriverError) -> Error {
    move |source| Error::Driver { device: device.to_owned(), action: action.into(), source: Box::new(source) }
}

/// As [`failed`], for an allocation of `bytes`.
fn not_allocated(device: &str, bytes: usize) -> impl FnOnce(DriverError) -> Error {
    move |source| match source.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::OutOfMemory { device: device.to_owned(), bytes: bytes as u64 },
        _ => failed(device, format!("allocate {bytes} bytes"))(source),
    }
}
