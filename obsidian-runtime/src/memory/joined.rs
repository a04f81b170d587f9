//! Buffers one after another. In: buffers; out: a new one that holds the elements of all.

use super::{Buffer, RawBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::host::HostBytes;

impl Device {
    /// A new buffer with the elements of `parts`, one after another, once the launches that write them are done. A copy on the CPU; on other
    /// devices by way of the host. The parts may be on any device.
    ///
    /// ```
    /// # fn main() -> Result<(), obsidian_runtime::Error> {
    /// let dev = obsidian_runtime::Device::cpu();
    /// let (a, b) = (dev.upload(&[1u32, 2])?, dev.upload(&[3u32])?);
    /// assert_eq!(dev.joined(&[&b, &a, &b])?.to_vec()?, [3, 1, 2, 3]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Out of memory, or the driver's error, also of an earlier launch.
    pub fn joined<T: Element>(&self, parts: &[&Buffer<T>]) -> Result<Buffer<T>, Error> {
        let len = parts.iter().map(|part| part.len()).sum();
        let mut raw = RawBuffer::unwritten(self, T::FIELDS, len, None)?;
        for (index, memory) in raw.memory_mut().iter_mut().enumerate() {
            if let Some(bytes) = memory.host_mut() {
                read_all(parts, index, bytes)?;
                continue;
            }
            let mut staged = HostBytes::allocate(memory.len())?;
            read_all(parts, index, &mut staged)?;
            memory.write(staged.values())?;
        }
        Ok(Buffer::new(raw))
    }
}

/// One field of all parts.
fn read_all<T: Element>(parts: &[&Buffer<T>], field: usize, to: &mut HostBytes) -> Result<(), Error> {
    let mut rest: &mut [u8] = to.values_mut();
    for memory in parts.iter().filter_map(|part| part.raw().memory().get(field)) {
        let (own, others) = rest.split_at_mut(memory.len());
        memory.read(0, own)?;
        rest = others;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_joined_each() {
        let dev = Device::cpu();
        let (a, none) = (dev.upload(&[(true, 1.5f64), (false, 2.5)]).unwrap(), dev.upload::<(bool, f64)>(&[]).unwrap());
        assert_eq!(
            dev.joined(&[&none, &a, &a]).unwrap().to_vec().unwrap(),
            [a.to_vec().unwrap(), a.to_vec().unwrap()].concat()
        );
        assert!(dev.joined::<u8>(&[]).unwrap().is_empty());
    }
}
