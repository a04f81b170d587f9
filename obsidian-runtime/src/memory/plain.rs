//! Slices of plain structures, which are `bytemuck`'s, as buffers of one number after another.

use bytemuck::{AnyBitPattern, NoUninit};

use super::Buffer;
use crate::device::Device;
use crate::element::{Element, sealed};
use crate::error::Error;

impl Device {
    /// A buffer with a copy of structures whose fields are all of type `T`: their numbers one after another, to be read with `chunks` or as the
    /// rows of a matrix.
    ///
    /// ```
    /// # fn main() -> Result<(), obsidian_runtime::Error> {
    /// #[repr(C)]
    /// #[derive(Clone, Copy, PartialEq, Debug)]
    /// struct Point { x: f32, y: f32 }
    /// // What `#[derive(bytemuck::Pod, bytemuck::Zeroable)]` writes.
    /// unsafe impl bytemuck::Zeroable for Point {}
    /// unsafe impl bytemuck::Pod for Point {}
    ///
    /// let points = [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }];
    /// let buffer = obsidian_runtime::Device::cpu().upload_plain::<f32, _>(&points)?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(buffer.to_plain::<Point>()?, points);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotTaken`] unless a structure is a whole number of `T`; as of [`Device::upload`].
    pub fn upload_plain<T, P>(&self, values: &[P]) -> Result<Buffer<T>, Error>
    where
        T: Element + sealed::Stored,
        P: NoUninit,
    {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        if !size_of::<P>().is_multiple_of(size_of::<T>()) {
            return Err(apart::<T, P>(bytes.len()));
        }
        let mut buffer = self.alloc::<T>(bytes.len() / size_of::<T>())?;
        buffer.raw_mut().memory_mut().iter_mut().try_for_each(|field| field.write(bytes))?;
        Ok(buffer)
    }
}

impl<T: Element + sealed::Stored> Buffer<T> {
    /// A copy of all elements as structures, once the launches that write them are done.
    ///
    /// # Errors
    /// [`Error::NotTaken`] unless the elements are a whole number of structures; as of [`Buffer::to_vec`].
    pub fn to_plain<P: AnyBitPattern + NoUninit>(&self) -> Result<Vec<P>, Error> {
        let bytes = self.len() * size_of::<T>();
        let count = bytes.checked_div(size_of::<P>()).unwrap_or(0);
        if count * size_of::<P>() != bytes {
            return Err(apart::<P, T>(bytes));
        }
        let mut values = Vec::new();
        values
            .try_reserve_exact(count)
            .map_err(|_| Error::OutOfMemory { device: "the host".into(), bytes: bytes as u64 })?;
        values.resize(count, P::zeroed());
        for field in self.raw().memory() {
            field.read(0, bytemuck::cast_slice_mut(&mut values))?;
        }
        Ok(values)
    }
}

/// `found` bytes of `P` are no whole number of `T`.
fn apart<T, P>(found: usize) -> Error {
    let (name, size) = (std::any::type_name::<T>(), size_of::<T>());
    let expected = format!("a whole number of `{name}`, each of {size} bytes,");
    let found = format!("{found} bytes of `{}`", std::any::type_name::<P>());
    Error::NotTaken { what: "the memory", expected, found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bf16, f16};

    #[test]
    fn numbers_go_in_and_come_out() {
        let dev = Device::cpu();
        let triples = [[1i16, 2, 3], [4, 5, 6]];
        let buffer = dev.upload_plain::<i16, _>(&triples).unwrap();
        assert_eq!((buffer.len(), buffer.to_plain::<[i16; 3]>().unwrap()), (6, triples.to_vec()));
        // Floats of 16 bits by their bits.
        let halves = dev.upload_plain::<f16, u16>(&[f16::ONE.to_bits(), f16::NEG_ONE.to_bits()]).unwrap();
        assert_eq!(halves.to_vec().unwrap(), [f16::ONE, f16::NEG_ONE]);
        assert_eq!(dev.upload(&[bf16::ONE]).unwrap().to_plain::<u16>().unwrap(), [bf16::ONE.to_bits()]);
        assert!(dev.upload_plain::<f64, [f64; 2]>(&[]).unwrap().to_plain::<u64>().unwrap().is_empty());
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_numbers() {
        let dev = Device::cpu();
        let text = dev.upload_plain::<u64, [u32; 3]>(&[[1; 3]; 2]).unwrap_err().to_string();
        let expected = "the memory cannot be a buffer: a whole number of `u64`, each of 8 bytes, is expected, it is 24 bytes of `[u32; 3]`";
        assert_eq!(text, expected);
        let text = dev.upload(&[1u32; 5]).unwrap().to_plain::<[u32; 3]>().unwrap_err().to_string();
        assert!(text.contains("each of 12 bytes") && text.contains("20 bytes of `u32`"), "{text}");
        assert!(dev.upload(&[1u8]).unwrap().to_plain::<()>().is_err());
    }
}
