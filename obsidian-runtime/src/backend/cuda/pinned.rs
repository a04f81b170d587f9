//! Page-locked memory of the host, and the copies that the device makes of it while the host goes on.

use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaStream, DevicePtr, DevicePtrMut, DriverError, result};

use super::super::locked;
use super::gpu::{Gpu, Queue};
use super::memory::DeviceBytes;
use super::{failed, not_allocated};
use crate::backend;
use crate::error::Error;

/// Bytes that are page-locked. Whoever looks at them waits for the copies under way.
pub(crate) struct PinnedBytes {
    gpu: Arc<Gpu>,
    start: NonNull<u8>,
    len: usize,
    /// When the last copy is done. Locked from before a copy is put into a stream until it is marked.
    copied: Mutex<CudaEvent>,
}

// SAFETY: it owns its memory, and hands out references by the usual rules of `&` and `&mut`, once the device is done with it.
unsafe impl Send for PinnedBytes {}
// SAFETY: as above.
unsafe impl Sync for PinnedBytes {}

impl PinnedBytes {
    /// `len` zero bytes, at least one. The driver aligns them to a page.
    pub(crate) fn zeroed(gpu: &Arc<Gpu>, len: usize) -> Result<PinnedBytes, Error> {
        let event = gpu.context().new_event(Some(CUevent_flags::CU_EVENT_DISABLE_TIMING));
        let copied = event.map_err(failed(gpu.name(), "make an event"))?;
        // SAFETY: no flags; it is written below before anybody reads it.
        let start = unsafe { result::malloc_host(len, 0) }.map_err(not_allocated(gpu.name(), len))?;
        let no_memory = || Error::OutOfMemory { device: gpu.name().to_owned(), bytes: len as u64 };
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(no_memory)?;
        // SAFETY: `len` bytes from `start` on are ours.
        unsafe { start.write_bytes(0, len) };
        Ok(PinnedBytes { gpu: Arc::clone(gpu), start, len, copied: Mutex::new(copied) })
    }

    /// Waits for the last copy. Not by cudarc's call, which gives up over what an earlier drop has left to report.
    fn wait(&self) {
        let copied = locked(&self.copied);
        // SAFETY: the context and the event live as long as `self`.
        let waited = unsafe {
            let current = result::ctx::set_current(self.gpu.context().cu_ctx());
            current.and_then(|()| result::event::synchronize(copied.cu_event()))
        };
        if waited.is_err() {
            // Everything on the device, then. An error here too means that the context is lost: no copy goes on, and the next
            // call reports it.
            let _ = result::ctx::synchronize();
        }
    }
}

impl backend::Pinned for PinnedBytes {
    fn start(&self) -> NonNull<u8> {
        self.wait();
        self.start
    }

    fn upload(&self, to: &mut dyn backend::Memory, queue: &dyn backend::Queue) -> Result<(), Error> {
        let stream = Queue::behind(queue)?.stream();
        let Some(mut view) = DeviceBytes::behind_mut(to)?.view_mut() else { return Ok(()) };
        let copied = locked(&self.copied);
        let mut copy = || {
            begin(&copied, stream)?;
            let (to, _written) = view.device_ptr_mut(stream);
            // SAFETY: both have `len` bytes; `begin` and `end` keep others away from these until the copy is done.
            let put_in = unsafe {
                let from = std::slice::from_raw_parts(self.start.as_ptr(), self.len);
                result::memcpy_htod_async(to, from, stream.cu_stream())
            };
            put_in.and_then(|()| end(&copied, stream))
        };
        copy().map_err(failed(self.gpu.name(), "copy pinned memory to the device"))
    }

    fn download(&mut self, from: &dyn backend::Memory, queue: &dyn backend::Queue) -> Result<(), Error> {
        let stream = Queue::behind(queue)?.stream();
        let Some(view) = DeviceBytes::behind(from)?.view() else { return Ok(()) };
        let copied = locked(&self.copied);
        let copy = || {
            begin(&copied, stream)?;
            let (from, _read) = view.device_ptr(stream);
            // SAFETY: as in `upload`; `&mut self` keeps all references away meanwhile.
            let put_in = unsafe {
                let to = std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len);
                result::memcpy_dtoh_async(to, from, stream.cu_stream())
            };
            put_in.and_then(|()| end(&copied, stream))
        };
        copy().map_err(failed(self.gpu.name(), "copy from the device to pinned memory"))
    }
}

/// The next copy comes after the last.
fn begin(copied: &CudaEvent, stream: &CudaStream) -> Result<(), DriverError> {
    stream.context().bind_to_thread()?;
    stream.wait(copied)
}

/// Marks the copy just put into the stream; where that cannot be, waits for it.
fn end(copied: &CudaEvent, stream: &CudaStream) -> Result<(), DriverError> {
    copied.record(stream).or_else(|error| stream.synchronize().and(Err(error)))
}

impl Drop for PinnedBytes {
    fn drop(&mut self) {
        self.wait();
        // SAFETY: allocated in `zeroed`, and freed only here, with no copy under way.
        let _ = unsafe { result::free_host(self.start.as_ptr().cast()) };
    }
}
