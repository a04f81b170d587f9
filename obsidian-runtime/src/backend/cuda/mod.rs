//! The CUDA back end: devices of the NVIDIA driver, which is loaded at run time. In: PTX text and checked arguments;
//! out: launches in stream order. Of cudarc's types only those of `interop` leave this folder; every driver error becomes an
//! [`Error`].

mod gpu;
mod graph;
mod launch;
mod memory;
mod pinned;
mod pool;

use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{DriverError, sys::CUresult};

use super::{Device, Found, Graph, Memory, Module, Order, Pinned};
use crate::error::Error;
use crate::host::{HostBytes, Owner};
use crate::info::{Backend, Limits};

pub(crate) use gpu::{Gpu, Queue, device_count};
pub(crate) use memory::{DeviceBytes, Foreign, start};

/// The row's driver.
pub(super) struct Driver;

impl super::Driver for Driver {
    fn devices(&self) -> Result<Vec<Found>, Error> {
        let found = |gpu: Arc<Gpu>| Found { name: gpu.name().to_owned(), limits: gpu.limits(), avoided: Vec::new() };
        (0..device_count()?).map(|index| Gpu::open(index).map(found)).collect()
    }

    fn open(&self, index: usize) -> Result<Arc<dyn Device>, Error> {
        Ok(Gpu::open(index)?)
    }

    fn preferred(&self) -> Option<usize> {
        Some(0)
    }
}

impl Device for Gpu {
    fn name(&self) -> &str {
        self.name()
    }

    fn kind(&self) -> Backend {
        Backend::Cuda
    }

    fn limits(&self) -> Limits {
        self.limits()
    }

    fn chains_in_one_pass(&self) -> bool {
        true
    }

    fn driver(&self) -> String {
        let mut version = 0;
        // SAFETY: the driver writes an integer; the library is loaded, since there is a device.
        let status = unsafe { cudarc::driver::sys::cuDriverGetVersion(&mut version) };
        match status {
            cudarc::driver::sys::CUresult::CUDA_SUCCESS => format!("CUDA driver API {version}"),
            _ => "CUDA driver of an unknown version".to_owned(),
        }
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.synchronize()
    }

    fn allocate(self: Arc<Self>, bytes: usize, queue: Option<&dyn super::Queue>) -> Result<Box<dyn Memory>, Error> {
        let queue = queue.map(Queue::behind).transpose()?;
        Ok(Box::new(DeviceBytes::unwritten(&self, queue, bytes)?))
    }

    unsafe fn adopt(
        self: Arc<Self>,
        start: NonNull<u8>,
        bytes: usize,
        owner: Option<Owner>,
    ) -> Result<Option<Box<dyn Memory>>, Error> {
        // SAFETY: the caller's promise.
        Ok(Some(Box::new(unsafe { DeviceBytes::adopted(&self, start, bytes, owner)? })))
    }

    fn alignment_of_others(&self) -> usize {
        16
    }

    fn default_queue(self: Arc<Self>) -> Arc<dyn super::Queue> {
        Arc::new(Queue::default_of(&self))
    }

    fn new_queue(self: Arc<Self>) -> Result<Arc<dyn super::Queue>, Error> {
        Ok(Arc::new(Queue::new_on(&self)?))
    }

    fn load(self: Arc<Self>, order: &Order) -> Result<Arc<dyn Module>, Error> {
        let function = self.function(order)?;
        Ok(Arc::new(launch::Loaded { gpu: self, function }))
    }

    fn pinned(self: Arc<Self>, bytes: usize) -> Result<Box<dyn Pinned>, Error> {
        // The driver refuses to allocate nothing.
        if bytes == 0 {
            return Ok(Box::new(HostBytes::allocate(0)?));
        }
        Ok(Box::new(pinned::PinnedBytes::zeroed(&self, bytes)?))
    }

    fn graph(
        self: Arc<Self>,
        queue: &Arc<dyn super::Queue>,
        nodes: &mut [super::Node<'_>],
    ) -> Result<Option<Box<dyn Graph>>, Error> {
        let nodes = nodes.iter_mut().map(graph::Command::of).collect::<Result<Vec<_>, _>>()?;
        let graph = graph::Graph::new(&self, queue, &nodes.into_iter().flatten().collect::<Vec<_>>())?;
        Ok(graph.map(|graph| Box::new(graph) as Box<dyn Graph>))
    }
}

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
    /// Named by cudarc for drivers of CUDA 11.7 and later only.
    const DEVICE_UNAVAILABLE: u32 = 46;
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
    ) || code as u32 == DEVICE_UNAVAILABLE
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
