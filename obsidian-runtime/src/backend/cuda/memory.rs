//! Device memory of a buffer's field, and the copies to and from it. A field of no bytes has no allocation, since the
//! driver refuses to allocate nothing. The memory is the runtime's own, or a slice that the caller made with cudarc.

use std::any::Any;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, result};

use super::super::own;
use super::gpu::{Gpu, Queue};
use super::{failed, not_allocated};
use crate::backend;
use crate::error::Error;
use crate::host::Owner;

/// Bytes on a GPU, freed in stream order.
pub(crate) struct DeviceBytes {
    gpu: Arc<Gpu>,
    memory: Memory,
}

/// Where the bytes are.
enum Memory {
    /// Nowhere: there are none.
    Nothing,
    /// The runtime's own.
    Own(CudaSlice<u8>),
    /// The caller's.
    Foreign(Box<dyn Foreign>),
    /// A part of another's, used on the stream that it is bound to alone.
    Part(Part),
}

/// A slice whose bytes are another's: it owns nothing but its events.
struct Part(ManuallyDrop<CudaSlice<u8>>);

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: taken once, here.
        unsafe { ManuallyDrop::take(&mut self.0) }.leak();
    }
}

/// A slice of the caller's, whatever its elements.
pub(crate) trait Foreign: Send + Sync {
    /// Its bytes; none for no bytes.
    fn view(&self) -> Option<CudaView<'_, u8>>;
    /// Its bytes, to be written; none where they may only be read.
    fn view_mut(&mut self) -> Option<CudaViewMut<'_, u8>>;
    /// For the way back.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
    /// For a look at its elements.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<T: 'static> Foreign for CudaSlice<T> {
    fn view(&self) -> Option<CudaView<'_, u8>> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: any memory can be seen as bytes; only types whose bit patterns are all valid get here.
        unsafe { self.transmute(self.num_bytes()) }
    }

    fn view_mut(&mut self) -> Option<CudaViewMut<'_, u8>> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: as above.
        unsafe { self.transmute_mut(self.num_bytes()) }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Part {
    /// The bytes at an address of the GPU's.
    ///
    /// # Safety
    /// They are there, initialised, for as long as the part.
    unsafe fn at((gpu, stream): (&Gpu, &Arc<CudaStream>), start: u64, len: usize) -> Result<Part, Error> {
        // cudarc makes two events for a slice, and panics where it cannot.
        let spare = gpu.context().new_event(None).and_then(|first| Ok((first, gpu.context().new_event(None)?)));
        drop(spare.map_err(failed(gpu.name(), "make a part of a buffer"))?);
        // SAFETY: the caller's promise; bytes have no invalid values.
        Ok(Part(ManuallyDrop::new(unsafe { stream.upgrade_device_ptr::<u8>(start, len) })))
    }
}

/// Memory of others, known by its address alone.
struct At {
    part: Part,
    gpu: Arc<Gpu>,
    /// Only for its end.
    #[allow(dead_code)]
    owner: Option<Owner>,
}

impl Drop for At {
    fn drop(&mut self) {
        // Its owner knows nothing of the launches that may still use it; an error is that of the next call.
        let _ = self.gpu.synchronize();
    }
}

impl Foreign for At {
    fn view(&self) -> Option<CudaView<'_, u8>> {
        Some(self.part.0.as_view())
    }

    fn view_mut(&mut self) -> Option<CudaViewMut<'_, u8>> {
        Some(self.part.0.as_view_mut())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// A part of other bytes, which whoever made it keeps borrowed: its uses are noted as theirs.
struct Sliced {
    whole: NonNull<DeviceBytes>,
    range: Range<usize>,
}

// SAFETY: it stands for a `&DeviceBytes`, which may be used on several threads.
unsafe impl Send for Sliced {}
// SAFETY: as above.
unsafe impl Sync for Sliced {}

impl Foreign for Sliced {
    fn view(&self) -> Option<CudaView<'_, u8>> {
        // SAFETY: the whole outlives the view and stays where it is, by the promise of `Memory::view`.
        let whole = unsafe { self.whole.as_ref() }.view()?;
        whole.try_slice(self.range.clone())
    }

    fn view_mut(&mut self) -> Option<CudaViewMut<'_, u8>> {
        None
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl DeviceBytes {
    /// `len` bytes that the caller is going to write; `queue` is the stream that writes first. The driver aligns them
    /// to 256 bytes; kernels rely on 16.
    pub(crate) fn unwritten(gpu: &Arc<Gpu>, queue: Option<&Queue>, len: usize) -> Result<DeviceBytes, Error> {
        let gpu = Arc::clone(gpu);
        if len == 0 {
            return Ok(DeviceBytes { gpu, memory: Memory::Nothing });
        }
        // Memory may be used on a stream only after the point where that stream allocates it.
        let stream = queue.map_or(gpu.default_stream(), |queue| &queue.stream);
        // SAFETY: bytes have no invalid values, and whoever asks for unwritten memory writes it before it is read.
        let slice = unsafe { stream.alloc::<u8>(len) }.map_err(not_allocated(gpu.name(), len))?;
        Ok(DeviceBytes { gpu, memory: Memory::Own(slice) })
    }

    /// Memory of the caller's, of the same context as `gpu`.
    pub(crate) fn foreign(gpu: &Arc<Gpu>, memory: Box<dyn Foreign>) -> DeviceBytes {
        DeviceBytes { gpu: Arc::clone(gpu), memory: Memory::Foreign(memory) }
    }

    /// Memory of others at an address of the GPU's.
    ///
    /// # Safety
    /// As of [`backend::Device::adopt`].
    pub(crate) unsafe fn adopted(
        gpu: &Arc<Gpu>,
        start: NonNull<u8>,
        len: usize,
        owner: Option<Owner>,
    ) -> Result<DeviceBytes, Error> {
        // SAFETY: the caller's promise.
        let part = unsafe { Part::at((gpu, gpu.default_stream()), start.addr().get() as u64, len)? };
        Ok(DeviceBytes::foreign(gpu, Box::new(At { part, gpu: Arc::clone(gpu), owner })))
    }

    /// The caller's memory; `None` for all else.
    pub(crate) fn into_foreign(memory: Box<dyn backend::Memory>) -> Option<Box<dyn Foreign>> {
        match (memory as Box<dyn Any>).downcast::<DeviceBytes>().ok()?.memory {
            Memory::Foreign(memory) => Some(memory),
            Memory::Nothing | Memory::Own(_) | Memory::Part(_) => None,
        }
    }

    /// What the trait's value is here.
    pub(crate) fn behind(memory: &dyn backend::Memory) -> Result<&DeviceBytes, Error> {
        own((memory as &dyn Any).downcast_ref(), "the buffer")
    }

    /// The same, to be written.
    pub(crate) fn behind_mut(memory: &mut dyn backend::Memory) -> Result<&mut DeviceBytes, Error> {
        own((memory as &mut dyn Any).downcast_mut(), "the buffer")
    }

    /// The allocation; none for no bytes.
    pub(crate) fn view(&self) -> Option<CudaView<'_, u8>> {
        match &self.memory {
            Memory::Nothing => None,
            Memory::Own(slice) => Some(slice.as_view()),
            Memory::Part(part) => Some(part.0.as_view()),
            Memory::Foreign(memory) => memory.view(),
        }
    }

    /// The allocation, to be written.
    pub(crate) fn view_mut(&mut self) -> Option<CudaViewMut<'_, u8>> {
        match &mut self.memory {
            Memory::Nothing => None,
            Memory::Own(slice) => Some(slice.as_view_mut()),
            Memory::Part(part) => Some(part.0.as_view_mut()),
            Memory::Foreign(memory) => memory.view_mut(),
        }
    }

    /// The allocation as elements of `T`, to be written; none for no bytes.
    ///
    /// # Safety
    /// Every bit pattern is a value of `T`, and the bytes are `len` elements of it.
    pub(crate) unsafe fn typed_mut<T: 'static>(&mut self, len: usize) -> Option<CudaViewMut<'_, T>> {
        match &mut self.memory {
            Memory::Nothing => None,
            // SAFETY: the caller's promise.
            Memory::Own(slice) => unsafe { slice.transmute_mut(len) },
            // SAFETY: as above.
            Memory::Part(part) => unsafe { part.0.transmute_mut(len) },
            Memory::Foreign(memory) => Some(memory.as_any_mut().downcast_mut::<CudaSlice<T>>()?.as_view_mut()),
        }
    }
}

impl backend::Memory for DeviceBytes {
    fn len(&self) -> usize {
        self.view().map_or(0, |view| view.len())
    }

    fn fill_zero(&mut self) -> Result<(), Error> {
        let gpu = Arc::clone(&self.gpu);
        let Some(mut view) = self.view_mut() else { return Ok(()) };
        let stream = Arc::clone(view.stream());
        stream.memset_zeros(&mut view).map_err(failed(gpu.name(), "zero a buffer"))
    }

    fn write(&mut self, from: &[u8]) -> Result<(), Error> {
        let gpu = Arc::clone(&self.gpu);
        let Some(mut view) = self.view_mut() else { return Ok(()) };
        let stream = Arc::clone(view.stream());
        // The copy may still be under way when the driver returns, so `from` must outlive the synchronisation.
        let copied = stream.memcpy_htod(from, &mut view).and_then(|()| stream.synchronize());
        copied.map_err(failed(gpu.name(), "copy a buffer to the device"))
    }

    fn read(&self, start: usize, to: &mut [u8]) -> Result<(), Error> {
        let view = self.view().and_then(|view| view.try_slice(start..start + to.len())).filter(|view| !view.is_empty());
        let Some(view) = view else { return Ok(()) };
        let stream = Arc::clone(view.stream());
        let copied = stream.memcpy_dtoh(&view, to).and_then(|()| stream.synchronize());
        copied.map_err(failed(self.gpu.name(), "copy a buffer from the device"))
    }

    fn fill(&mut self, byte: u8, queue: &dyn backend::Queue) -> Result<(), Error> {
        let (gpu, stream) = (Arc::clone(&self.gpu), Arc::clone(Queue::behind(queue)?.stream()));
        let Some(mut view) = self.view_mut() else { return Ok(()) };
        let len = view.len();
        let mut fill = || {
            stream.context().bind_to_thread()?;
            let (at, _used) = view.device_ptr_mut(&stream);
            // SAFETY: the view's own bytes.
            unsafe { result::memset_d8_async(at, byte, len, stream.cu_stream()) }
        };
        fill().map_err(failed(gpu.name(), "set a buffer"))
    }

    fn copy(&mut self, from: &dyn backend::Memory, queue: &dyn backend::Queue) -> Result<(), Error> {
        let (gpu, stream) = (Arc::clone(&self.gpu), Arc::clone(Queue::behind(queue)?.stream()));
        let (Some(from), Some(mut to)) = (DeviceBytes::behind(from)?.view(), self.view_mut()) else { return Ok(()) };
        stream.memcpy_dtod(&from, &mut to).map_err(failed(gpu.name(), "copy a buffer"))
    }

    unsafe fn view(&self, range: Range<usize>) -> Result<Box<dyn backend::Memory>, Error> {
        let memory = if range.is_empty() {
            Memory::Nothing
        } else {
            Memory::Foreign(Box::new(Sliced { whole: NonNull::from(self), range }))
        };
        Ok(Box::new(DeviceBytes { gpu: Arc::clone(&self.gpu), memory }))
    }

    unsafe fn part(&self, range: Range<usize>, queue: &dyn backend::Queue) -> Result<Box<dyn backend::Memory>, Error> {
        let (gpu, stream) = (Arc::clone(&self.gpu), Queue::behind(queue)?.stream());
        let Some(view) = self.view().filter(|_| !range.is_empty()) else {
            return Ok(Box::new(DeviceBytes { gpu, memory: Memory::Nothing }));
        };
        let at = start(&view) + range.start as u64;
        // SAFETY: the bytes lie in the view's, which the caller keeps.
        let part = unsafe { Part::at((&gpu, stream), at, range.len())? };
        Ok(Box::new(DeviceBytes { gpu, memory: Memory::Part(part) }))
    }

    fn address(&self) -> Option<NonNull<u8>> {
        let start = start(&self.view()?);
        NonNull::new(std::ptr::without_provenance_mut(usize::try_from(start).ok()?))
    }

    fn overlaps(&self, other: &dyn backend::Memory) -> bool {
        let Ok(other) = DeviceBytes::behind(other) else { return false };
        match (&self.memory, &other.memory) {
            (Memory::Nothing, _) | (_, Memory::Nothing) => false,
            // Memory of the runtime's has one owner: comparing owners needs no call of the driver.
            (Memory::Own(_) | Memory::Part(_), _) | (_, Memory::Own(_) | Memory::Part(_)) => std::ptr::eq(self, other),
            // A slice may have been lent several times, or be made of another's memory.
            (Memory::Foreign(a), Memory::Foreign(b)) => {
                let (Some(a), Some(b)) = (a.view(), b.view()) else { return false };
                let (a, b) = (start(&a)..start(&a) + a.len() as u64, start(&b)..start(&b) + b.len() as u64);
                a.start < b.end && b.start < a.end
            }
        }
    }
}

/// The address of the first byte.
pub(crate) fn start(view: &CudaView<'_, u8>) -> u64 {
    // On its own stream a slice need not wait for itself.
    view.device_ptr(view.stream()).0
}
