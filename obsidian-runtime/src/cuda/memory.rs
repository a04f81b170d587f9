//! Device memory of a buffer's field, and the copies to and from it. A field of no bytes has no allocation, since the
//! driver refuses to allocate nothing.

use std::sync::Arc;

use cudarc::driver::CudaSlice;

use super::gpu::{Gpu, Queue};
use super::{failed, not_allocated};
use crate::cpu::HostBytes;
use crate::error::Error;

/// Bytes on a GPU, freed in stream order.
pub(crate) struct DeviceBytes {
    gpu: Arc<Gpu>,
    slice: Option<CudaSlice<u8>>,
}

impl DeviceBytes {
    /// `len` bytes that the caller is going to write; `queue` is the stream that writes first. The driver aligns them
    /// to 256 bytes; kernels rely on 16.
    pub(crate) fn unwritten(gpu: &Arc<Gpu>, queue: Option<&Queue>, len: usize) -> Result<DeviceBytes, Error> {
        let gpu = Arc::clone(gpu);
        if len == 0 {
            return Ok(DeviceBytes { gpu, slice: None });
        }
        // Memory may be used on a stream only after the point where that stream allocates it.
        let stream = queue.map_or(gpu.default_stream(), |queue| &queue.stream);
        // SAFETY: bytes have no invalid values, and whoever asks for unwritten memory writes it before it is read.
        let slice = unsafe { stream.alloc::<u8>(len) }.map_err(not_allocated(gpu.name(), len))?;
        Ok(DeviceBytes { gpu, slice: Some(slice) })
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.slice.as_ref().map_or(0, CudaSlice::len)
    }

    /// The allocation; none for no bytes.
    pub(super) fn slice(&self) -> Option<&CudaSlice<u8>> {
        self.slice.as_ref()
    }

    /// The allocation, to be written.
    pub(super) fn slice_mut(&mut self) -> Option<&mut CudaSlice<u8>> {
        self.slice.as_mut()
    }

    /// Sets all bytes to zero.
    pub(crate) fn fill_zero(&mut self) -> Result<(), Error> {
        let Some(slice) = &mut self.slice else { return Ok(()) };
        let stream = Arc::clone(slice.stream());
        stream.memset_zeros(slice).map_err(failed(self.gpu.name(), "zero a buffer"))
    }

    /// Copies `from`, which is as long, to the device.
    pub(crate) fn upload(&mut self, from: &HostBytes) -> Result<(), Error> {
        let Some(slice) = &mut self.slice else { return Ok(()) };
        let stream = Arc::clone(slice.stream());
        // The copy may still be under way when the driver returns, so `from` must outlive the synchronisation.
        let copied = stream.memcpy_htod(from.values::<u8>(), slice).and_then(|()| stream.synchronize());
        copied.map_err(failed(self.gpu.name(), "copy a buffer to the device"))
    }

    /// A copy on the host, once the launches that write it are done.
    pub(crate) fn download(&self) -> Result<HostBytes, Error> {
        let len = self.len();
        let no_memory = || Error::OutOfMemory { device: "the host".to_owned(), bytes: len as u64 };
        let mut to = HostBytes::zeroed(len).ok_or_else(no_memory)?;
        let Some(slice) = &self.slice else { return Ok(to) };
        let stream = slice.stream();
        let copied = stream.memcpy_dtoh(slice, to.values_mut::<u8>()).and_then(|()| stream.synchronize());
        copied.map_err(failed(self.gpu.name(), "copy a buffer from the device"))?;
        Ok(to)
    }

    /// Whether both are the same allocation, which has one owner: comparing owners needs no call of the driver.
    pub(crate) fn is_same(&self, other: &DeviceBytes) -> bool {
        self.slice.is_some() && std::ptr::eq(self, other)
    }
}
