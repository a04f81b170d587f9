//! Buffers: typed device memory, freed on drop; a tuple's fields lie in one array each. In: slices; out: vectors, and
//! the field arrays that a launch passes on.

mod untyped;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cpu::HostBytes;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::device::{Device, Inner};
use crate::element::{Element, element_bytes};
use crate::error::Error;
use crate::opencl;
use crate::stream::Stream;
use obsidian_abi::ScalarType;

/// `len` elements of type `T` on a device. Freed on drop.
pub struct Buffer<T: Element> {
    raw: RawBuffer,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Buffer<T> {
    pub(crate) fn new(raw: RawBuffer) -> Buffer<T> {
        Buffer { raw, element: PhantomData }
    }

    /// The buffer without its type.
    #[cfg(feature = "cuda")]
    pub(crate) fn into_raw(self) -> RawBuffer {
        self.raw
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.raw.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.raw.len == 0
    }

    /// The device it lives on.
    pub fn device(&self) -> &Device {
        &self.raw.device
    }

    /// A copy of all elements, once the launches that write them are done.
    ///
    /// # Errors
    /// Out of memory, or the driver's error, also of an earlier launch.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let no_memory = |_| Error::OutOfMemory { device: "the host".into(), bytes: self.raw.bytes() };
        match &self.raw.storage {
            Storage::Host(fields) => T::load(fields).map_err(no_memory),
            #[cfg(feature = "cuda")]
            Storage::Cuda(fields) => {
                let fields = fields.iter().map(cuda::DeviceBytes::download).collect::<Result<Vec<_>, _>>()?;
                T::load(&fields).map_err(no_memory)
            }
            Storage::OpenCl(fields) => {
                let fields = fields.iter().map(opencl::DeviceBytes::download).collect::<Result<Vec<_>, _>>()?;
                T::load(&fields).map_err(no_memory)
            }
        }
    }

    /// A copy of some elements, which are in the buffer.
    pub(crate) fn part(&self, range: Range<usize>) -> Result<Vec<T>, Error> {
        let count = range.len();
        let bytes = |field: &ScalarType| (range.start * field.bytes() as usize, count * field.bytes() as usize);
        let sizes = self.raw.fields.iter().map(bytes);
        let fields: Vec<HostBytes> = match &self.raw.storage {
            Storage::Host(fields) => {
                let part = |(field, (start, len)): (&HostBytes, _)| {
                    field
                        .part(start, len)
                        .ok_or_else(|| Error::OutOfMemory { device: "the host".into(), bytes: len as u64 })
                };
                fields.iter().zip(sizes).map(part).collect::<Result<_, _>>()?
            }
            Storage::OpenCl(fields) => {
                let part = |(field, (start, len)): (&opencl::DeviceBytes, _)| field.download_part(start, len);
                fields.iter().zip(sizes).map(part).collect::<Result<_, _>>()?
            }
            #[cfg(feature = "cuda")]
            Storage::Cuda(_) => return Ok(self.to_vec()?.drain(range).collect()),
        };
        T::load(&fields).map_err(|_| Error::OutOfMemory { device: "the host".into(), bytes: self.raw.bytes() })
    }

    /// Overwrites all elements.
    ///
    /// # Errors
    /// [`Error::WriteLength`] unless `values` is as long as the buffer; out of memory; the driver's error.
    pub fn write(&mut self, values: &[T]) -> Result<(), Error> {
        if values.len() != self.raw.len {
            return Err(Error::WriteLength { expected: self.raw.len, found: values.len() });
        }
        match &mut self.raw.storage {
            Storage::Host(fields) => {
                for (index, field) in fields.iter_mut().enumerate() {
                    T::store(values, index, field);
                }
                Ok(())
            }
            #[cfg(feature = "cuda")]
            Storage::Cuda(fields) => {
                for (index, field) in fields.iter_mut().enumerate() {
                    let mut staged = host_bytes(field.len())?;
                    T::store(values, index, &mut staged);
                    field.upload(&staged)?;
                }
                Ok(())
            }
            Storage::OpenCl(fields) => {
                for (index, field) in fields.iter_mut().enumerate() {
                    let mut staged = host_bytes(field.len())?;
                    T::store(values, index, &mut staged);
                    field.upload(&staged)?;
                }
                Ok(())
            }
        }
    }

    /// The buffer without its type, for generated code.
    #[doc(hidden)]
    pub fn raw(&self) -> &RawBuffer {
        &self.raw
    }

    /// The buffer without its type, for generated code.
    #[doc(hidden)]
    pub fn raw_mut(&mut self) -> &mut RawBuffer {
        &mut self.raw
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>({} elements on {:?})", std::any::type_name::<T>(), self.raw.len, self.raw.device)
    }
}

/// A buffer that knows its field types at run time only.
pub struct RawBuffer {
    id: BufferId,
    device: Device,
    fields: &'static [ScalarType],
    len: usize,
    storage: Storage,
}

/// What tells a buffer from all others of the process, wherever it is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BufferId(u64);

impl BufferId {
    fn fresh() -> BufferId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        BufferId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// One array a field.
enum Storage {
    Host(Vec<HostBytes>),
    #[cfg(feature = "cuda")]
    Cuda(Vec<cuda::DeviceBytes>),
    OpenCl(Vec<opencl::DeviceBytes>),
}

impl RawBuffer {
    /// Memory for `len` elements that the caller is going to write: zero on the CPU, anything on a GPU. `stream` is the
    /// one that writes first.
    pub(crate) fn unwritten(
        device: &Device,
        fields: &'static [ScalarType],
        len: usize,
        stream: Option<&Stream>,
    ) -> Result<RawBuffer, Error> {
        let overflow = || Error::SizeOverflow { len, element_bytes: element_bytes(fields) };
        element_bytes(fields).checked_mul(len).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(overflow)?;
        // The sum fits, so each field's size does.
        let sizes = fields.iter().map(|field| field.bytes() as usize * len);
        let storage = match &device.inner {
            Inner::Cpu => {
                let _ = stream;
                Storage::Host(sizes.map(host_bytes).collect::<Result<_, _>>()?)
            }
            #[cfg(feature = "check")]
            Inner::Check => Storage::Host(sizes.map(host_bytes).collect::<Result<_, _>>()?),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => {
                let queue = stream.and_then(Stream::queue).map(std::sync::Arc::as_ref);
                let allocate = |bytes| cuda::DeviceBytes::unwritten(gpu, queue, bytes);
                Storage::Cuda(sizes.map(allocate).collect::<Result<_, _>>()?)
            }
            Inner::OpenCl(accelerator) => {
                let allocate = |bytes| opencl::DeviceBytes::unwritten(accelerator, bytes);
                Storage::OpenCl(sizes.map(allocate).collect::<Result<_, _>>()?)
            }
        };
        Ok(RawBuffer { id: BufferId::fresh(), device: device.clone(), fields, len, storage })
    }

    /// Sets fresh memory to zero (host memory is so from the start).
    pub(crate) fn fill_zero(&mut self) -> Result<(), Error> {
        match &mut self.storage {
            Storage::Host(_) => Ok(()),
            #[cfg(feature = "cuda")]
            Storage::Cuda(fields) => fields.iter_mut().try_for_each(cuda::DeviceBytes::fill_zero),
            Storage::OpenCl(fields) => fields.iter_mut().try_for_each(opencl::DeviceBytes::fill_zero),
        }
    }

    /// Which buffer it is.
    pub(crate) fn id(&self) -> BufferId {
        self.id
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Types of its fields.
    pub fn fields(&self) -> &'static [ScalarType] {
        self.fields
    }

    /// The device it lives on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Bytes of all fields.
    pub(crate) fn bytes(&self) -> u64 {
        element_bytes(self.fields) as u64 * self.len as u64
    }

    /// Where each field starts in host memory; none for a buffer elsewhere.
    pub(crate) fn host_pointers(&self) -> impl Iterator<Item = *mut u8> {
        let fields = match &self.storage {
            Storage::Host(fields) => fields.as_slice(),
            _ => &[],
        };
        fields.iter().map(HostBytes::as_ptr)
    }

    /// The fields in host memory; none for a buffer elsewhere.
    pub(crate) fn host_fields(&self) -> &[HostBytes] {
        match &self.storage {
            Storage::Host(fields) => fields,
            _ => &[],
        }
    }

    /// The fields in host memory, to be written.
    pub(crate) fn host_fields_mut(&mut self) -> &mut [HostBytes] {
        match &mut self.storage {
            Storage::Host(fields) => fields,
            _ => &mut [],
        }
    }

    /// The fields on an OpenCL device; none for a buffer elsewhere.
    pub(crate) fn opencl_fields(&self) -> &[opencl::DeviceBytes] {
        match &self.storage {
            Storage::OpenCl(fields) => fields,
            _ => &[],
        }
    }

    /// The fields on an OpenCL device, to be written.
    pub(crate) fn opencl_fields_mut(&mut self) -> &mut [opencl::DeviceBytes] {
        match &mut self.storage {
            Storage::OpenCl(fields) => fields,
            _ => &mut [],
        }
    }

    /// The fields on a GPU; none for a buffer elsewhere.
    #[cfg(feature = "cuda")]
    pub(crate) fn cuda_fields(&self) -> &[cuda::DeviceBytes] {
        match &self.storage {
            Storage::Cuda(fields) => fields,
            _ => &[],
        }
    }

    /// The fields on a GPU, to be written.
    #[cfg(feature = "cuda")]
    pub(crate) fn cuda_fields_mut(&mut self) -> &mut [cuda::DeviceBytes] {
        match &mut self.storage {
            Storage::Cuda(fields) => fields,
            _ => &mut [],
        }
    }

    /// Memory of the caller's, as a buffer of one field.
    #[cfg(feature = "cuda")]
    pub(crate) fn foreign(
        device: &Device,
        fields: &'static [ScalarType],
        len: usize,
        bytes: cuda::DeviceBytes,
    ) -> RawBuffer {
        let storage = Storage::Cuda(vec![bytes]);
        RawBuffer { id: BufferId::fresh(), device: device.clone(), fields, len, storage }
    }

    /// The caller's memory; `None` for the runtime's own.
    #[cfg(feature = "cuda")]
    pub(crate) fn into_foreign(self) -> Option<Box<dyn cuda::Foreign>> {
        match self.storage {
            Storage::Cuda(mut fields) => fields.pop()?.into_foreign(),
            _ => None,
        }
    }

    /// Whether the two share memory. Each allocation has one owner, so equal starts are the only way; but for the caller's
    /// own CUDA memory.
    pub(crate) fn overlaps(&self, other: &RawBuffer) -> bool {
        match (&self.storage, &other.storage) {
            (Storage::Host(a), Storage::Host(b)) => {
                a.iter().any(|a| a.len() > 0 && b.iter().any(|b| b.len() > 0 && a.as_ptr() == b.as_ptr()))
            }
            #[cfg(feature = "cuda")]
            (Storage::Cuda(a), Storage::Cuda(b)) => a.iter().any(|a| b.iter().any(|b| a.overlaps(b))),
            (Storage::OpenCl(a), Storage::OpenCl(b)) => a.iter().any(|a| b.iter().any(|b| a.is_same(b))),
            _ => false,
        }
    }
}

impl fmt::Debug for RawBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawBuffer({} elements of {:?} on {:?})", self.len, self.fields, self.device)
    }
}

fn host_bytes(len: usize) -> Result<HostBytes, Error> {
    HostBytes::zeroed(len).ok_or_else(|| Error::OutOfMemory { device: "the host".into(), bytes: len as u64 })
}

#[cfg(test)]
mod tests;
