//! Buffers whose element type is known at run time only, for who launches kernels that no Rust type describes: bytes in,
//! bytes out.

use super::{RawBuffer, Storage, host_bytes};
use crate::cpu::HostBytes;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::device::Device;
use crate::error::Error;
use crate::opencl;
use obsidian_abi::ScalarType;

impl RawBuffer {
    /// Elements with these fields: `columns` holds the bytes of each field, one value after another.
    ///
    /// # Errors
    /// [`Error::WriteLength`] where a column is not as long as the first; out of memory; the driver's error.
    pub fn of_bytes(
        device: &Device,
        fields: &'static [ScalarType],
        columns: &[impl AsRef<[u8]>],
    ) -> Result<RawBuffer, Error> {
        let count = |(field, column): (&ScalarType, &[u8])| column.len() / field.bytes() as usize;
        let mut counts = fields.iter().zip(columns.iter().map(AsRef::as_ref)).map(count);
        let len = counts.next().unwrap_or(0);
        if let Some(found) = counts.find(|&found| found != len) {
            return Err(Error::WriteLength { expected: len, found });
        }
        let mut raw = RawBuffer::unwritten(device, fields, len, None)?;
        for (index, column) in columns.iter().enumerate().take(fields.len()) {
            let mut staged = host_bytes(len * fields[index].bytes() as usize)?;
            let size = staged.len();
            staged.values_mut::<u8>().copy_from_slice(&column.as_ref()[..size]);
            match &mut raw.storage {
                Storage::Host(to) => to[index] = staged,
                #[cfg(feature = "cuda")]
                Storage::Cuda(to) => to[index].upload(&staged)?,
                Storage::OpenCl(to) => to[index].upload(&staged)?,
            }
        }
        Ok(raw)
    }

    /// A copy of all elements, the bytes of each field in a column, once the launches that write them are done.
    ///
    /// # Errors
    /// Out of memory, or the driver's error, also of an earlier launch.
    pub fn to_bytes(&self) -> Result<Vec<Vec<u8>>, Error> {
        let bytes = |field: &HostBytes| field.values::<u8>().to_vec();
        match &self.storage {
            Storage::Host(fields) => Ok(fields.iter().map(bytes).collect()),
            #[cfg(feature = "cuda")]
            Storage::Cuda(fields) => fields.iter().map(|f| cuda::DeviceBytes::download(f).map(|b| bytes(&b))).collect(),
            Storage::OpenCl(fields) => {
                fields.iter().map(|f| opencl::DeviceBytes::download(f).map(|b| bytes(&b))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_are_those_of_values() {
        let device = Device::cpu();
        let columns = [vec![1u8, 2], vec![3, 0, 0, 0, 4, 0, 0, 0]];
        let raw = RawBuffer::of_bytes(&device, &[ScalarType::U8, ScalarType::U32], &columns).unwrap();
        assert_eq!((raw.len(), raw.to_bytes().unwrap()), (2, columns.to_vec()));
        let typed = device.upload(&[(1u8, 3u32), (2, 4)]).unwrap();
        assert_eq!(typed.raw().to_bytes().unwrap(), columns);
        let error =
            RawBuffer::of_bytes(&device, &[ScalarType::U8, ScalarType::U32], &[vec![1u8], vec![0; 8]]).unwrap_err();
        assert!(matches!(error, Error::WriteLength { expected: 1, found: 2 }), "{error}");
    }
}
