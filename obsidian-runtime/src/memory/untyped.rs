//! Buffers whose element type is known at run time only, for who launches kernels that no Rust type describes: bytes in,
//! bytes out.

use obsidian_abi::ScalarType;

use super::RawBuffer;
use crate::device::Device;
use crate::error::Error;

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
        for (memory, column) in raw.memory.iter_mut().zip(columns) {
            let size = memory.len();
            memory.write(&column.as_ref()[..size])?;
        }
        Ok(raw)
    }

    /// A copy of all elements, the bytes of each field in a column, once the launches that write them are done.
    ///
    /// # Errors
    /// Out of memory, or the driver's error, also of an earlier launch.
    pub fn to_bytes(&self) -> Result<Vec<Vec<u8>>, Error> {
        let mut columns = Vec::new();
        for memory in &self.memory {
            let mut column = vec![0; memory.len()];
            memory.read(0, &mut column)?;
            columns.push(column);
        }
        Ok(columns)
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
