//! Buffers: typed device memory, freed on drop; a tuple's fields lie in one array each. In: slices; out: vectors, and
//! the field arrays that a launch passes on. Knows no kernels.

mod joined;
mod lent;
mod matrix;
mod others;
mod parts;
#[cfg(feature = "bytemuck")]
mod plain;
mod untyped;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use obsidian_abi::ScalarType;

use crate::backend::{Memory, Queue};
use crate::device::Device;
use crate::element::{Element, element_bytes};
use crate::error::Error;
use crate::host::HostBytes;

pub use lent::Lent;
pub use matrix::Matrix;
pub(crate) use others::adopted;
pub use parts::Whole;

/// `len` elements of type `T` on a device. Freed on drop, once the launches that use it are done.
///
/// A launch that writes it may still be under way: [`to_vec`](Buffer::to_vec), [`read_into`](Buffer::read_into) and
/// [`write`](Buffer::write) wait for that, and a launch on another stream comes after it. It may be shared between threads.
pub struct Buffer<T: Element> {
    raw: RawBuffer,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Buffer<T> {
    pub(crate) fn new(raw: RawBuffer) -> Buffer<T> {
        Buffer { raw, element: PhantomData }
    }

    /// The buffer without its type.
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
        self.part(0..self.raw.len)
    }

    /// A copy of some elements, which are in the buffer.
    pub(crate) fn part(&self, range: Range<usize>) -> Result<Vec<T>, Error> {
        let whole = range == (0..self.raw.len);
        let mut copies = Vec::new();
        for (field, memory) in self.raw.fields.iter().zip(&self.raw.memory) {
            if !(whole && memory.host().is_some()) {
                let mut copy = HostBytes::allocate(range.len() * field.bytes() as usize)?;
                memory.read(range.start * field.bytes() as usize, copy.values_mut())?;
                copies.push(copy);
            }
        }
        let seen: Vec<&HostBytes> = match copies.is_empty() {
            true => self.raw.memory.iter().filter_map(|memory| memory.host()).collect(),
            false => copies.iter().collect(),
        };
        T::load(&seen).map_err(|_| Error::OutOfMemory { device: "the host".into(), bytes: self.raw.bytes() })
    }

    /// Overwrites all elements.
    ///
    /// # Errors
    /// [`Error::WriteLength`] unless `values` is as long as the buffer; out of memory; the driver's error.
    pub fn write(&mut self, values: &[T]) -> Result<(), Error> {
        if values.len() != self.raw.len {
            return Err(Error::WriteLength { expected: self.raw.len, found: values.len() });
        }
        for (index, memory) in self.raw.memory.iter_mut().enumerate() {
            if let Some(bytes) = memory.host_mut() {
                T::store(values, index, bytes);
                continue;
            }
            let mut staged = HostBytes::allocate(memory.len())?;
            T::store(values, index, &mut staged);
            memory.write(staged.values())?;
        }
        Ok(())
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
    /// One per field; none where it is pending.
    memory: Vec<Box<dyn Memory>>,
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

impl RawBuffer {
    /// Memory for `len` elements that the caller is going to write: zero on the CPU, anything on a GPU. `queue` is the
    /// one that writes first.
    pub(crate) fn unwritten(
        device: &Device,
        fields: &'static [ScalarType],
        len: usize,
        queue: Option<&dyn Queue>,
    ) -> Result<RawBuffer, Error> {
        let overflow = || Error::SizeOverflow { len, element_bytes: element_bytes(fields) };
        element_bytes(fields).checked_mul(len).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(overflow)?;
        // The sum fits, so each field's size does.
        let allocate = |field: &ScalarType| device.inner().allocate(field.bytes() as usize * len, queue);
        let memory = fields.iter().map(allocate).collect::<Result<_, _>>()?;
        Ok(RawBuffer { id: BufferId::fresh(), device: device.clone(), fields, len, memory })
    }

    /// The same, all zero.
    pub(crate) fn zeroed(
        device: &Device,
        fields: &'static [ScalarType],
        len: usize,
        queue: Option<&dyn Queue>,
    ) -> Result<RawBuffer, Error> {
        let mut raw = RawBuffer::unwritten(device, fields, len, queue)?;
        raw.memory.iter_mut().try_for_each(|memory| memory.fill_zero())?;
        Ok(raw)
    }

    /// A buffer whose length the run decides that writes it, and until then one of no elements.
    pub(crate) fn pending(device: &Device, fields: &'static [ScalarType]) -> RawBuffer {
        RawBuffer { id: BufferId::fresh(), device: device.clone(), fields, len: 0, memory: Vec::new() }
    }

    /// Whether its length is not decided yet.
    pub(crate) fn is_pending(&self) -> bool {
        self.memory.is_empty() && !self.fields.is_empty()
    }

    /// Memory that a back end has made of the caller's, as a buffer of one field.
    pub(crate) fn foreign(
        device: &Device,
        fields: &'static [ScalarType],
        len: usize,
        memory: Box<dyn Memory>,
    ) -> RawBuffer {
        RawBuffer { id: BufferId::fresh(), device: device.clone(), fields, len, memory: vec![memory] }
    }

    /// The memory of each field.
    pub(crate) fn memory(&self) -> &[Box<dyn Memory>] {
        &self.memory
    }

    /// The memory of each field, to be written.
    pub(crate) fn memory_mut(&mut self) -> &mut [Box<dyn Memory>] {
        &mut self.memory
    }

    /// The memory of each field, without the buffer.
    #[cfg(feature = "cudarc")]
    pub(crate) fn into_memory(self) -> Vec<Box<dyn Memory>> {
        self.memory
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

    /// Whether the two share memory.
    pub(crate) fn overlaps(&self, other: &RawBuffer) -> bool {
        self.memory.iter().any(|a| other.memory.iter().any(|b| a.overlaps(&**b)))
    }
}

impl Device {
    /// A buffer with a copy of `values`.
    ///
    /// # Errors
    /// Out of memory, or the driver's error.
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>, Error> {
        let mut buffer = Buffer::new(RawBuffer::unwritten(self, T::FIELDS, values.len(), None)?);
        buffer.write(values)?;
        Ok(buffer)
    }

    /// A buffer of `len` elements, all zero (`false` for bools).
    ///
    /// # Errors
    /// Out of memory, more bytes than an address can count, or the driver's error.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>, Error> {
        Ok(Buffer::new(RawBuffer::zeroed(self, T::FIELDS, len, None)?))
    }
}

impl fmt::Debug for RawBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawBuffer({} elements of {:?} on {:?})", self.len, self.fields, self.device)
    }
}

#[cfg(test)]
mod tests;
