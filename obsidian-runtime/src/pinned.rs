//! Memory of the host that a device copies from and to while the host goes on: page-locked on CUDA, ordinary elsewhere. In:
//! a device and a length; out: a slice, and copies in the order of a stream.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::slice;

use crate::backend;
use crate::device::Device;
use crate::element::{Element, sealed::Stored};
use crate::error::Error;
use crate::memory::Buffer;
use crate::stream::Stream;

/// Elements in memory of the host's that [`Stream::upload`] and [`Stream::download`] copy, made by [`Device::pinned`]; it derefs to a
/// slice. Numbers only: a buffer of tuples lies in one array per field.
///
/// On CUDA the memory is page-locked, so the device copies while the host goes on. Who then looks at the slice waits: to read
/// it and to write it, for the last copy from or to it.
pub struct Pinned<T: Element + Stored> {
    device: Device,
    bytes: Box<dyn backend::Pinned>,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl Device {
    /// Memory of the host's for `len` elements, all zero, that this device copies from and to. Page-locked memory is dear: make
    /// it once and use it often.
    ///
    /// ```
    /// # fn main() -> Result<(), obsidian_runtime::Error> {
    /// let dev = obsidian_runtime::Device::cpu();
    /// let (stream, mut buffer) = (dev.new_stream()?, dev.alloc::<f32>(3)?);
    /// let mut values = dev.pinned(3)?;
    /// values.copy_from_slice(&[1.0, 2.0, 3.0]);
    /// stream.upload(&values, &mut buffer)?;       // goes on while the host does
    /// // .. launches on the stream ..
    /// stream.download(&buffer, &mut values)?;
    /// assert_eq!(values[..], [1.0, 2.0, 3.0]);    // waits
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Out of memory, more bytes than an address can count, or the driver's error.
    pub fn pinned<T: Element + Stored>(&self, len: usize) -> Result<Pinned<T>, Error> {
        let element_bytes = size_of::<T>();
        let bytes = element_bytes.checked_mul(len).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or(Error::SizeOverflow { len, element_bytes })?;
        let bytes = self.inner().pinned(bytes)?;
        Ok(Pinned { device: self.clone(), bytes, len, element: PhantomData })
    }
}

impl<T: Element + Stored> Pinned<T> {
    /// The device that copies from and to it.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<T: Element + Stored> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `len` elements, aligned, zero or copied from numbers, of which every bit pattern is one. No copy is under way;
        // one that writes them needs `&mut self`.
        unsafe { slice::from_raw_parts(self.bytes.start().cast().as_ptr(), self.len) }
    }
}

impl<T: Element + Stored> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; one that reads them needs `&self`.
        unsafe { slice::from_raw_parts_mut(self.bytes.start().cast().as_ptr(), self.len) }
    }
}

impl<T: Element + Stored> fmt::Debug for Pinned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pinned<{}>({} elements for {:?})", std::any::type_name::<T>(), self.len, self.device)
    }
}

impl Stream {
    /// Copies `from` over all elements of `to`, after what the stream was given before. On CUDA the call does not wait for
    /// the copy; on other devices it is done when the call returns.
    ///
    /// # Errors
    /// [`Error::WriteLength`] unless they are equally long; [`Error::NotUsable`] unless both are of the stream's device;
    /// [`Error::NotRecordable`] on a stream that records; the driver's error, also of an earlier launch.
    pub fn upload<T: Element + Stored>(&self, from: &Pinned<T>, to: &mut Buffer<T>) -> Result<(), Error> {
        self.can_copy("an upload", (from, to))?;
        let field = to.raw_mut().memory_mut().first_mut();
        field.map_or(Ok(()), |field| from.bytes.upload(&mut **field, self.queue()))
    }

    /// Copies all elements of `from` to `to`, after what the stream was given before; waits as [`upload`](Stream::upload) does.
    ///
    /// # Errors
    /// As of [`upload`](Stream::upload).
    pub fn download<T: Element + Stored>(&self, from: &Buffer<T>, to: &mut Pinned<T>) -> Result<(), Error> {
        self.can_copy("a download", (to, from))?;
        let field = from.raw().memory().first();
        field.map_or(Ok(()), |field| to.bytes.download(&**field, self.queue()))
    }

    /// Whether the two are of the stream's device and equally long.
    fn can_copy<T: Element + Stored>(
        &self,
        what: &str,
        (pinned, buffer): (&Pinned<T>, &Buffer<T>),
    ) -> Result<(), Error> {
        self.not_recording(what)?;
        let reason = "it is of another device than the stream";
        if buffer.device() != self.device() {
            return Err(Error::NotUsable { what: "the buffer", reason });
        }
        if pinned.device() != self.device() {
            return Err(Error::NotUsable { what: "the pinned memory", reason });
        }
        if pinned.len != buffer.len() {
            return Err(Error::WriteLength { expected: buffer.len(), found: pinned.len });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_there_and_back() {
        let dev = Device::cpu();
        for len in [0, 1, 1000] {
            let (stream, mut buffer, mut pinned) =
                (dev.stream(), dev.alloc::<u16>(len).unwrap(), dev.pinned::<u16>(len).unwrap());
            assert!(pinned.len() == len && pinned.iter().all(|&v| v == 0));
            pinned.iter_mut().zip(1..).for_each(|(to, v)| *to = v);
            stream.upload(&pinned, &mut buffer).unwrap();
            pinned.fill(0);
            stream.download(&buffer, &mut pinned).unwrap();
            assert_eq!(pinned.to_vec(), (1..).take(len).collect::<Vec<u16>>());
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let dev = Device::cpu();
        let (stream, mut buffer, mut pinned) =
            (dev.stream(), dev.alloc::<i64>(4).unwrap(), dev.pinned::<i64>(3).unwrap());
        let error = stream.upload(&pinned, &mut buffer).unwrap_err();
        assert!(matches!(error, Error::WriteLength { expected: 4, found: 3 }), "{error}");
        assert!(matches!(stream.download(&buffer, &mut pinned), Err(Error::WriteLength { .. })));
        assert!(matches!(dev.pinned::<f64>(usize::MAX / 4), Err(Error::SizeOverflow { element_bytes: 8, .. })));
        assert!(matches!(dev.pinned::<u8>(isize::MAX as usize), Err(Error::OutOfMemory { .. })));
        let error = stream.record(|s| s.upload(&pinned, &mut buffer)).unwrap_err();
        assert!(error.to_string().starts_with("an upload cannot be recorded in a graph: "), "{error}");
        assert_eq!(format!("{pinned:?}"), "Pinned<i64>(3 elements for Device(cpu: the CPU))");
    }

    #[cfg(feature = "check")]
    #[test]
    fn other_devices_are_refused() {
        let (dev, other) = (Device::cpu(), Device::check().unwrap());
        let (mut buffer, pinned) = (dev.alloc::<u8>(2).unwrap(), other.pinned::<u8>(2).unwrap());
        let error = dev.stream().upload(&pinned, &mut buffer).unwrap_err();
        assert!(matches!(error, Error::NotUsable { what: "the pinned memory", .. }), "{error}");
        let error = other.stream().upload(&pinned, &mut buffer).unwrap_err();
        assert!(matches!(error, Error::NotUsable { what: "the buffer", .. }), "{error}");
    }
}
