//! A program that already uses cudarc: kernels on its contexts, streams and slices, without a copy. In: cudarc's types; out:
//! devices, streams and buffers of them, and views of the runtime's own memory.

use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut};

use crate::backend::cuda::{self, DeviceBytes, Foreign, Gpu, start};
use crate::device::Device;
use crate::element::{Element, sealed};
use crate::error::Error;
use crate::memory::{Buffer, Lent, RawBuffer};
use crate::stream::Stream;

/// A slice must start at a multiple of this number of bytes: it is the most that a kernel reads at once.
const ALIGNMENT: u64 = 16;

impl Device {
    /// The GPU of a context of cudarc's, for streams and slices of that context. Devices of one context are the same device.
    ///
    /// # Errors
    /// The driver's error.
    pub fn from_cuda(context: &Arc<CudaContext>) -> Result<Device, Error> {
        // Finds a missing or damaged driver before cudarc panics over it.
        cuda::device_count()?;
        Ok(Device::of(Gpu::of(context)?))
    }

    /// The context of a CUDA device, to make streams and slices in; `None` for other devices.
    pub fn cuda_context(&self) -> Option<&Arc<CudaContext>> {
        Some(self.gpu()?.context())
    }

    fn gpu(&self) -> Option<&Gpu> {
        self.behind()
    }

    /// The GPU, where `context` is its own.
    fn gpu_of(&self, context: &Arc<CudaContext>, what: &'static str) -> Result<Arc<Gpu>, Error> {
        let gpu = self.gpu().filter(|gpu| Arc::ptr_eq(gpu.context(), context)).and_then(Gpu::shared);
        let reason = "it is of another context than the device; make the device by `Device::from_cuda` of its context";
        gpu.ok_or(Error::NotUsable { what, reason })
    }
}

impl Stream {
    /// A stream of cudarc's. It is waited for when the last clone is dropped.
    ///
    /// # Errors
    /// [`Error::NotUsable`] unless it is of the device's own context.
    pub fn from_cuda(device: &Device, stream: Arc<CudaStream>) -> Result<Stream, Error> {
        let gpu = device.gpu_of(stream.context(), "the stream")?;
        Ok(Stream::of(device, Arc::new(cuda::Queue::of(&gpu, stream))))
    }

    /// The stream as cudarc has it; `None` on other devices than CUDA's.
    pub fn cuda_stream(&self) -> Option<&Arc<CudaStream>> {
        Some(cuda::Queue::behind(self.queue()).ok()?.stream())
    }
}

impl<T: Element> Buffer<T> {
    /// A slice of cudarc's, as a buffer; [`into_cuda`](Buffer::into_cuda) gives it back.
    ///
    /// # Errors
    /// [`Error::NotUsable`] unless it is of the device's own context and starts at a multiple of 16 bytes.
    pub fn from_cuda(device: &Device, slice: CudaSlice<T>) -> Result<Buffer<T>, Error>
    where
        T: sealed::Stored,
    {
        let gpu = checked(device, &slice)?;
        let len = slice.len();
        let bytes = Box::new(DeviceBytes::foreign(&gpu, Box::new(slice)));
        Ok(Buffer::new(RawBuffer::foreign(device, T::FIELDS, len, bytes)))
    }

    /// The slice that the buffer was made of; `None` where it was not made by [`from_cuda`](Buffer::from_cuda).
    pub fn into_cuda(self) -> Option<CudaSlice<T>>
    where
        T: sealed::Stored,
    {
        let slice =
            DeviceBytes::into_foreign(self.into_raw().into_memory().pop()?)?.into_any().downcast::<CudaSlice<T>>();
        slice.ok().map(|slice| *slice)
    }

    /// The elements, for cudarc's calls; `None` for an empty buffer and on other devices than CUDA's.
    pub fn cuda_view(&self) -> Option<CudaView<'_, T>>
    where
        T: sealed::Stored,
    {
        let view = DeviceBytes::behind(&**self.raw().memory().first()?).ok()?.view()?;
        // SAFETY: the bytes are `len` elements of `T`, of which every bit pattern is a value.
        unsafe { view.transmute(self.len()) }
    }

    /// The elements, to be written by cudarc's calls; `None` as for [`cuda_view`](Buffer::cuda_view).
    pub fn cuda_view_mut(&mut self) -> Option<CudaViewMut<'_, T>>
    where
        T: sealed::Stored,
    {
        let len = self.len();
        let field = DeviceBytes::behind_mut(&mut **self.raw_mut().memory_mut().first_mut()?).ok()?;
        // SAFETY: as in `cuda_view`.
        unsafe { field.typed_mut(len) }
    }
}

/// ```no_run
/// # use obsidian_runtime::{Device, Lent};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = Device::cuda(0)?;
/// let Some(context) = device.cuda_context() else { return Ok(()) };
/// let slice = context.default_stream().clone_htod(&[1.0f32, 2.0])?;
/// let lent = Lent::new(&device, &slice)?;
/// assert_eq!(lent.to_vec()?, [1.0, 2.0]);
/// # Ok(()) }
/// ```
impl<'s, T: Element + sealed::Stored> Lent<'s, T> {
    /// Lends a slice of cudarc's.
    ///
    /// # Errors
    /// [`Error::NotUsable`] unless it is of the device's own context and starts at a multiple of 16 bytes.
    pub fn new(device: &Device, slice: &'s CudaSlice<T>) -> Result<Lent<'s, T>, Error> {
        let gpu = checked(device, slice)?;
        let bytes = Box::new(DeviceBytes::foreign(&gpu, Box::new(Borrowed(NonNull::from(slice)))));
        Ok(Lent::of(Buffer::new(RawBuffer::foreign(device, T::FIELDS, slice.len(), bytes))))
    }
}

/// A slice that a [`Lent`] keeps borrowed.
struct Borrowed<T>(NonNull<CudaSlice<T>>);

// SAFETY: it stands for a `&CudaSlice<T>`, and a `CudaSlice` may be used on several threads.
unsafe impl<T> Send for Borrowed<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Borrowed<T> {}

impl<T: 'static> Foreign for Borrowed<T> {
    fn view(&self) -> Option<CudaView<'_, u8>> {
        // SAFETY: the `Lent` that holds this borrows the slice for longer.
        Foreign::view(unsafe { self.0.as_ref() })
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

fn checked<T: Element>(device: &Device, slice: &CudaSlice<T>) -> Result<Arc<Gpu>, Error> {
    let gpu = device.gpu_of(slice.context(), "the slice")?;
    let at = Foreign::view(slice).map_or(0, |view| start(&view));
    if !at.is_multiple_of(ALIGNMENT) {
        let reason = "it does not start at a multiple of 16 bytes; give one that the driver allocated";
        return Err(Error::NotUsable { what: "the slice", reason });
    }
    Ok(gpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_devices_have_nothing_of_cudas() {
        let device = Device::cpu();
        assert!(device.cuda_context().is_none());
        assert!(device.stream().cuda_stream().is_none());
        let mut buffer = device.upload(&[1.0f32, 2.0]).unwrap();
        assert!(buffer.cuda_view().is_none() && buffer.cuda_view_mut().is_none());
        assert!(buffer.into_cuda().is_none());
    }

    #[test]
    fn what_cannot_be_used_says_what_to_do() {
        let text = Error::NotUsable { what: "the slice", reason: "it is elsewhere" }.to_string();
        assert_eq!(text, "the slice cannot be used: it is elsewhere");
    }
}
