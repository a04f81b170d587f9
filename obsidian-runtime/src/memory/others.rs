//! Memory of others by its address: of another library on the host, or of CUDA, whatever crate or language has allocated it. In: a pointer
//! and a length; out: a buffer that frees nothing. And the way back: where a buffer's elements are.

use std::ptr::NonNull;

use super::{Buffer, RawBuffer};
use crate::device::Device;
use crate::element::{Element, sealed};
use crate::error::Error;
use crate::host::Owner;

impl<T: Element + sealed::Stored> Buffer<T> {
    /// `len` elements at an address of the device's, as a buffer that frees nothing: on the CPU any memory, on CUDA what the driver gives
    /// (`CUdeviceptr`), of the device's primary context. No version of a crate is shared for it.
    ///
    /// ```
    /// # fn main() -> Result<(), obsidian_runtime::Error> {
    /// use obsidian_runtime::{Buffer, Device};
    /// let mut theirs = vec![1.0f32, 2.0, 3.0];
    /// // SAFETY: `theirs` outlives the buffer, and is not used while that is there.
    /// let mut buffer = unsafe { Buffer::from_raw(&Device::cpu(), theirs.as_mut_ptr(), theirs.len())? };
    /// buffer.write(&[4.0, 5.0, 6.0])?;
    /// drop(buffer);
    /// assert_eq!(theirs, [4.0, 5.0, 6.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Safety
    /// The elements are there and initialised for as long as the buffer, which waits for its launches when it is dropped. Meanwhile
    /// nothing else writes them; and nothing else reads them unless the buffer is only read.
    ///
    /// # Errors
    /// [`Error::NotTaken`] where the address is 0 or not aligned (to the type, on CUDA to 16 bytes); [`Error::NotUsable`] on OpenCL,
    /// whose memory has no addresses; the driver's error.
    pub unsafe fn from_raw(device: &Device, start: *mut T, len: usize) -> Result<Buffer<T>, Error> {
        // SAFETY: the caller's promise.
        unsafe { adopted(device, "the memory", start.cast(), len, None) }
    }

    /// Where the elements lie: an address of the host's on the CPU, of the GPU's on CUDA. `None` for a buffer of no elements and on
    /// OpenCL. Launches may still be under way that write them: wait for the stream or the [`Device`] first.
    pub fn as_ptr(&self) -> Option<NonNull<T>> {
        self.raw.memory().first().filter(|_| !self.is_empty())?.address().map(NonNull::cast)
    }
}

/// Memory of others as a buffer; `what` is its name in an error.
///
/// # Safety
/// As of [`Buffer::from_raw`], but that the owner may keep the elements.
pub(crate) unsafe fn adopted<T: Element + sealed::Stored>(
    device: &Device,
    what: &'static str,
    start: *mut u8,
    len: usize,
    owner: Option<Owner>,
) -> Result<Buffer<T>, Error> {
    if len == 0 {
        return device.alloc(0);
    }
    let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
    let bytes = bytes.ok_or(Error::SizeOverflow { len, element_bytes: size_of::<T>() })?;
    let alignment = device.inner().alignment_of_others().max(align_of::<T>());
    let Some(first) = NonNull::new(start).filter(|first| first.addr().get().is_multiple_of(alignment)) else {
        let expected = format!("an address that is a multiple of {alignment} and not 0");
        return Err(Error::NotTaken { what, expected, found: format!("{:#x}", start.addr()) });
    };
    // SAFETY: the caller's promise; the alignment was just tested.
    let memory = unsafe { device.inner().adopt(first, bytes, owner)? };
    let reason = "memory of this device has no addresses; copy the elements by way of the host";
    let memory = memory.ok_or(Error::NotUsable { what, reason })?;
    Ok(Buffer::new(RawBuffer::foreign(device, T::FIELDS, len, memory)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_goes_out_and_comes_back() {
        let (dev, mut buffer) = (Device::cpu(), Device::cpu().upload(&[1u64, 2, 3, 4]).unwrap());
        let start = buffer.as_ptr().unwrap();
        // SAFETY: the part is only read, and gone before the buffer is used.
        let part = unsafe { Buffer::from_raw(&dev, start.as_ptr().wrapping_add(1), 2).unwrap() };
        assert_eq!((part.to_vec().unwrap(), part.as_ptr().unwrap()), (vec![2, 3], unsafe { start.add(1) }));
        assert!(part.raw().overlaps(buffer.raw()));
        drop(part);
        buffer.write(&[5; 4]).unwrap();
        assert!(dev.alloc::<f32>(0).unwrap().as_ptr().is_none());
    }

    #[test]
    fn what_is_not_aligned_or_nowhere_is_an_error_with_the_address() {
        let dev = Device::cpu();
        let at = |address: usize| {
            let start: *mut u32 = std::ptr::without_provenance_mut(address);
            // SAFETY: it is refused.
            unsafe { Buffer::from_raw(&dev, start, 1) }.unwrap_err().to_string()
        };
        let expected =
            "the memory cannot be a buffer: an address that is a multiple of 4 and not 0 is expected, it is ";
        assert_eq!((at(0), at(6)), (format!("{expected}0x0"), format!("{expected}0x6")));
        // SAFETY: as above, and nothing is there of no elements.
        let (long, none) = unsafe {
            let start = std::ptr::without_provenance_mut::<u32>(8);
            (Buffer::from_raw(&dev, start, usize::MAX), Buffer::<u32>::from_raw(&dev, std::ptr::null_mut(), 0))
        };
        assert!(matches!(long, Err(Error::SizeOverflow { element_bytes: 4, .. })) && none.unwrap().is_empty());
    }
}
