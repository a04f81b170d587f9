//! Buffers of borrowed memory: a slice of the host's, a part of another buffer. In: what is borrowed; out: a [`Lent`], whose lifetime
//! is that of the borrow. Kernels may read it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Deref, RangeBounds};

use super::{Buffer, BufferId, RawBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;

/// A buffer of memory that is borrowed, which kernels may read: `&lent` is a `&Buffer<T>`. Made by [`Device::lend`] of a slice,
/// and by [`Buffer::view`] of a part of a buffer.
///
/// ```
/// # fn main() -> Result<(), obsidian_runtime::Error> {
/// let (dev, data) = (obsidian_runtime::Device::cpu(), vec![1.0f32, 2.0, 3.0, 4.0]);
/// let lent = dev.lend(&data)?; // no copy on the CPU
/// assert_eq!(lent.to_vec()?, data);
/// # Ok(()) }
/// ```
///
/// It cannot outlive what it borrows, nor can that be written meanwhile:
///
/// ```compile_fail,E0505
/// # let dev = obsidian_runtime::Device::cpu();
/// let data = vec![1.0f32, 2.0];
/// let lent = dev.lend(&data).unwrap();
/// drop(data);
/// println!("{lent:?}");
/// ```
pub struct Lent<'a, T: Element> {
    // Only ever seen through `&`: exchanged with another buffer it could outlive what it borrows.
    buffer: Buffer<T>,
    borrowed: PhantomData<&'a [T]>,
}

impl<T: Element> Lent<'_, T> {
    /// A buffer whose memory the caller keeps borrowed for `'a`.
    pub(crate) fn of(buffer: Buffer<T>) -> Self {
        Lent { buffer, borrowed: PhantomData }
    }

    /// The buffer. The caller keeps what is borrowed for as long as it is there, and shows it to nobody but by `&`.
    pub(crate) fn into_buffer(self) -> Buffer<T> {
        self.buffer
    }
}

impl Device {
    /// A buffer of `values` for kernels to read. On the CPU, and in the interpreter, it is `values` itself, without a copy, where the
    /// elements are scalars; a tuple's fields lie apart in a buffer, so tuples are copied. On other devices it is an
    /// [upload](Device::upload).
    ///
    /// # Errors
    /// As of [`Device::upload`].
    pub fn lend<'a, T: Element>(&self, values: &'a [T]) -> Result<Lent<'a, T>, Error> {
        if let Some(bytes) = T::bytes(values) {
            // SAFETY: the `Lent` borrows the values, and only gives `&Buffer`, whose memory nobody writes.
            if let Some(memory) = unsafe { self.inner().borrow(bytes) } {
                let (fields, len) = (T::FIELDS, values.len());
                let raw = RawBuffer { id: BufferId::fresh(), device: self.clone(), fields, len, memory: vec![memory] };
                return Ok(Lent::of(Buffer::new(raw)));
            }
        }
        Ok(Lent::of(self.upload(values)?))
    }
}

impl<T: Element> Buffer<T> {
    /// The elements of a range as a buffer for kernels to read, without a copy. Each field of the first must lie at a multiple of 16
    /// bytes (of an OpenCL device: of what it asks of parts of buffers, 128 bytes and the like), because a kernel
    /// reads that much at once.
    ///
    /// ```
    /// # fn main() -> Result<(), obsidian_runtime::Error> {
    /// let buffer = obsidian_runtime::Device::cpu().upload(&[0u32, 1, 2, 3, 4, 5])?;
    /// assert_eq!(buffer.view(4..)?.to_vec()?, [4, 5]);
    /// assert!(buffer.view(1..).is_err());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::View`] where the range is not in the buffer, or does not begin at such a multiple.
    pub fn view(&self, range: impl RangeBounds<usize>) -> Result<Lent<'_, T>, Error> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len(),
        };
        let alignment = self.device().inner().view_alignment();
        let even = |field: &obsidian_abi::ScalarType| (start * field.bytes() as usize).is_multiple_of(alignment);
        if start > end || end > self.len() || !(start == end || T::FIELDS.iter().all(even)) {
            return Err(Error::View { len: self.len(), start, end, alignment });
        }
        let fields = T::FIELDS.iter().zip(self.raw.memory()).map(|(field, memory)| {
            let size = field.bytes() as usize;
            // SAFETY: the `Lent` borrows the buffer, and only gives `&Buffer`, whose memory nobody writes.
            unsafe { memory.view(start * size..end * size) }
        });
        let memory = fields.collect::<Result<_, _>>()?;
        let (id, device) = (BufferId::fresh(), self.device().clone());
        let raw = RawBuffer { id, device, fields: T::FIELDS, len: end - start, memory };
        Ok(Lent::of(Buffer::new(raw)))
    }

    /// Copies all elements to `values`, once the launches that write them are done.
    ///
    /// # Errors
    /// [`Error::ReadLength`] unless `values` is as long as the buffer; out of memory; the driver's error, also of an earlier
    /// launch.
    pub fn read_into(&self, values: &mut [T]) -> Result<(), Error> {
        if values.len() != self.len() {
            return Err(Error::ReadLength { expected: self.len(), found: values.len() });
        }
        match (T::bytes_mut(values), self.raw.memory()) {
            (Some(bytes), [field]) => field.read(0, bytes),
            _ => {
                values.copy_from_slice(&self.to_vec()?);
                Ok(())
            }
        }
    }
}

impl<T: Element> Deref for Lent<'_, T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        &self.buffer
    }
}

impl<T: Element> fmt::Debug for Lent<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lent({:?})", self.buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_lent_without_a_copy() {
        let dev = Device::cpu();
        // Not at a multiple of a cache line.
        let data: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let lent = dev.lend(&data[3..]).unwrap();
        assert_eq!((lent.len(), lent.to_vec().unwrap()), (97, data[3..].to_vec()));
        let host = lent.raw().memory()[0].host().unwrap();
        assert_eq!(host.as_ptr().cast_const().cast(), data[3..].as_ptr());
        let flags = [true, false, true];
        assert_eq!(dev.lend(&flags).unwrap().to_vec().unwrap(), flags);
        // Fields lie apart.
        assert_eq!(dev.lend(&[(1u8, 2u64), (3, 4)]).unwrap().to_vec().unwrap(), [(1, 2), (3, 4)]);
        assert!(dev.lend::<i32>(&[]).unwrap().is_empty());
        assert_eq!(data[99], 99.0, "still there when what was lent is gone");
    }

    #[test]
    fn views_are_parts() {
        let buffer = Device::cpu().upload(&(0..64u8).map(|i| (i, u32::from(i))).collect::<Vec<_>>()).unwrap();
        let view = buffer.view(16..20).unwrap();
        assert_eq!(view.to_vec().unwrap(), [(16, 16), (17, 17), (18, 18), (19, 19)]);
        assert!(view.raw().overlaps(buffer.raw()) && !view.raw().overlaps(buffer.view(32..).unwrap().raw()));
        assert_eq!(view.view(..=1).unwrap().to_vec().unwrap(), [(16, 16), (17, 17)]);
        assert_eq!(buffer.view(..).unwrap().len(), 64);
        assert!(buffer.view(7..7).unwrap().is_empty());
        for (start, end) in [(4, 8), (48, 65), (usize::MAX, 3), (32, 16)] {
            let error = buffer.view(start..end).unwrap_err();
            assert!(matches!(error, Error::View { len: 64, alignment: 16, .. }), "{error}");
        }
    }

    #[test]
    fn elements_are_read_into_what_is_there() {
        let dev = Device::cpu();
        let (mut numbers, mut pairs) = ([0i16; 3], [(0u8, false); 2]);
        dev.upload(&[1i16, 2, 3]).unwrap().read_into(&mut numbers).unwrap();
        dev.upload(&[(1u8, true), (2, false)]).unwrap().read_into(&mut pairs).unwrap();
        assert_eq!((numbers, pairs), ([1, 2, 3], [(1, true), (2, false)]));
        let error = dev.upload(&[1i16]).unwrap().read_into(&mut numbers).unwrap_err();
        assert_eq!(error.to_string(), "a buffer of 1 elements cannot be read into 3; the lengths must be equal");
    }
}
