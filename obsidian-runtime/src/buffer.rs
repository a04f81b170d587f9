//! Buffers: typed device memory, freed on drop; a tuple's fields lie in one array each. In: slices; out: vectors, and
//! the field arrays that a launch passes on.

mod untyped;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use crate::abi::DType;
use crate::cpu::HostBytes;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::device::{Device, Inner};
use crate::element::{Element, element_bytes};
use crate::error::Error;
use crate::opencl;
use crate::stream::Stream;

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
        let bytes = |field: &DType| (range.start * field.bytes(), count * field.bytes());
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
    device: Device,
    fields: &'static [DType],
    len: usize,
    storage: Storage,
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
        fields: &'static [DType],
        len: usize,
        stream: Option<&Stream>,
    ) -> Result<RawBuffer, Error> {
        let overflow = || Error::SizeOverflow { len, element_bytes: element_bytes(fields) };
        element_bytes(fields).checked_mul(len).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(overflow)?;
        // The sum fits, so each field's size does.
        let sizes = fields.iter().map(|field| field.bytes() * len);
        let storage = match &device.inner {
            Inner::Cpu => {
                let _ = stream;
                Storage::Host(sizes.map(host_bytes).collect::<Result<_, _>>()?)
            }
            #[cfg(feature = "check")]
            Inner::Check => Storage::Host(sizes.map(host_bytes).collect::<Result<_, _>>()?),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => {
                let queue = stream.and_then(Stream::queue);
                let allocate = |bytes| cuda::DeviceBytes::unwritten(gpu, queue, bytes);
                Storage::Cuda(sizes.map(allocate).collect::<Result<_, _>>()?)
            }
            Inner::OpenCl(accelerator) => {
                let allocate = |bytes| opencl::DeviceBytes::unwritten(accelerator, bytes);
                Storage::OpenCl(sizes.map(allocate).collect::<Result<_, _>>()?)
            }
        };
        Ok(RawBuffer { device: device.clone(), fields, len, storage })
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

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Types of its fields.
    pub fn fields(&self) -> &'static [DType] {
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
    #[cfg(feature = "check")]
    pub(crate) fn host_fields(&self) -> &[HostBytes] {
        match &self.storage {
            Storage::Host(fields) => fields,
            _ => &[],
        }
    }

    /// The fields in host memory, to be written.
    #[cfg(feature = "check")]
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
        fields: &'static [DType],
        len: usize,
        bytes: cuda::DeviceBytes,
    ) -> RawBuffer {
        RawBuffer { device: device.clone(), fields, len, storage: Storage::Cuda(vec![bytes]) }
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
mod tests {
    use super::*;

    fn round_trip<T: Element + PartialEq + fmt::Debug>(make: impl Fn(usize) -> T) {
        let dev = Device::cpu();
        for len in [0, 1, 2, 31, 33, 1000] {
            let values: Vec<T> = (0..len).map(&make).collect();
            let mut buffer = dev.upload(&values).unwrap();
            assert_eq!((buffer.len(), buffer.is_empty()), (len, len == 0));
            assert_eq!(buffer.to_vec().unwrap(), values);
            let reversed: Vec<T> = values.into_iter().rev().collect();
            buffer.write(&reversed).unwrap();
            assert_eq!(buffer.to_vec().unwrap(), reversed);
        }
    }

    #[test]
    fn scalars_and_tuples_come_back() {
        round_trip(|i| i % 3 == 0);
        round_trip(|i| i as i8);
        round_trip(|i| i as u64 * 0x0123_4567_89ab);
        round_trip(|i| i as f64 / 3.0);
        round_trip(|i| (i as u16,));
        round_trip(|i| (i as i32, i % 2 == 0, i as f64));
        round_trip(|i| (i as u8, i as u16, i as u32, i as u64, i as i8, i as i16, i as i32, i as f32));
    }

    #[test]
    fn fields_lie_apart() {
        let buffer = Device::cpu().upload(&[(1u8, 2u32), (3, 4)]).unwrap();
        let fields: Vec<&HostBytes> = match &buffer.raw.storage {
            Storage::Host(fields) => fields.iter().collect(),
            _ => Vec::new(),
        };
        assert_eq!(fields[0].values::<u8>(), [1, 3]);
        assert_eq!(fields[1].values::<u32>(), [2, 4]);
        assert_eq!(buffer.raw.bytes(), 10);
    }

    #[test]
    fn fresh_memory_is_zero() {
        assert_eq!(Device::cpu().alloc::<(f32, bool)>(5).unwrap().to_vec().unwrap(), [(0.0, false); 5]);
    }

    #[test]
    fn refused_sizes() {
        let dev = Device::cpu();
        let error = dev.alloc::<u64>(usize::MAX / 4).unwrap_err();
        assert!(matches!(error, Error::SizeOverflow { element_bytes: 8, .. }), "{error}");
        let error = dev.alloc::<u8>(isize::MAX as usize).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        let error = dev.upload(&[1, 2, 3]).unwrap().write(&[1]).unwrap_err();
        assert!(matches!(error, Error::WriteLength { expected: 3, found: 1 }), "{error}");
    }

    #[test]
    fn overlap_is_seen() {
        let dev = Device::cpu();
        let (a, b) = (dev.upload(&[1]).unwrap(), dev.upload(&[1]).unwrap());
        assert!(a.raw.overlaps(&a.raw));
        assert!(!a.raw.overlaps(&b.raw));
        let empty = dev.alloc::<i32>(0).unwrap();
        assert!(!empty.raw.overlaps(&empty.raw));
    }

    #[test]
    fn debug_names_type_and_length() {
        let text = format!("{:?}", Device::cpu().alloc::<f32>(3).unwrap());
        assert_eq!(text, "Buffer<f32>(3 elements on Device(cpu: the CPU))");
    }
}
