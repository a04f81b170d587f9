//! Elements as bytes of a message, field after field, and back.

use crate::element::{Element, element_bytes};
use crate::error::Error;
use crate::host::HostBytes;
use obsidian_abi::ScalarType;

/// What elements are made of, as a number: ranks that exchange different types find it out by this.
pub fn type_tag<T: Element>() -> u64 {
    T::FIELDS.iter().fold(1, |tag, &field| tag << 4 | field as u64)
}

/// The tag's types in words.
pub fn type_name(tag: u64) -> String {
    let digits = (0..8).rev().map(|k| tag >> (4 * k)).filter(|&rest| rest > 1);
    let names: Vec<&str> =
        digits.map(|rest| ScalarType::ALL.get((rest & 15) as usize).map_or("?", |field| field.name())).collect();
    match &names[..] {
        [one] => (*one).to_owned(),
        several => format!("({})", several.join(", ")),
    }
}

/// Appends the bytes of `values`.
pub fn append<T: Element>(values: &[T], to: &mut Vec<u8>) -> Result<(), Error> {
    let bytes = element_bytes(T::FIELDS) * values.len();
    to.try_reserve_exact(bytes).map_err(|_| out_of_memory(bytes))?;
    if let Some(bytes) = T::bytes(values) {
        to.extend_from_slice(bytes);
        return Ok(());
    }
    for (index, field) in T::FIELDS.iter().enumerate() {
        let mut staged = HostBytes::allocate(field.bytes() as usize * values.len())?;
        T::store(values, index, &mut staged);
        to.extend_from_slice(staged.values());
    }
    Ok(())
}

/// The values of bytes that `append` has made; `None` where their number fits no number of elements.
pub fn read<T: Element>(bytes: &[u8]) -> Result<Option<Vec<T>>, Error> {
    let size = element_bytes(T::FIELDS);
    if !bytes.len().is_multiple_of(size) {
        return Ok(None);
    }
    let len = bytes.len() / size;
    if T::bytes(&[]).is_some() && T::FIELDS != [ScalarType::Bool] {
        let mut values = Vec::new();
        values.try_reserve_exact(len).map_err(|_| out_of_memory(bytes.len()))?;
        // SAFETY: the values lie in a slice as their bytes, and any bits are values of a number; there is room for `len` of them.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), values.as_mut_ptr() as *mut u8, bytes.len());
            values.set_len(len);
        }
        return Ok(Some(values));
    }
    let mut rest = bytes;
    let mut fields = Vec::new();
    for field in T::FIELDS {
        let (own, others) = rest.split_at(field.bytes() as usize * len);
        let mut staged = HostBytes::allocate(own.len())?;
        staged.values_mut().copy_from_slice(own);
        fields.push(staged);
        rest = others;
    }
    let seen: Vec<&HostBytes> = fields.iter().collect();
    T::load(&seen).map(Some).map_err(|_| out_of_memory(bytes.len()))
}

fn out_of_memory(bytes: usize) -> Error {
    Error::OutOfMemory { device: "the host".into(), bytes: bytes as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back<T: Element + PartialEq + std::fmt::Debug>(values: &[T]) {
        let mut bytes = vec![];
        append(values, &mut bytes).unwrap();
        assert_eq!(read::<T>(&bytes).unwrap().unwrap(), values);
        if element_bytes(T::FIELDS) > 1 {
            bytes.push(0);
            assert!(read::<T>(&bytes).unwrap().is_none());
        }
    }

    #[test]
    fn values_go_and_come_back() {
        back::<u8>(&[]);
        back(&[true, false, true]);
        back(&[1.5f64, -0.0]);
        back(&[(1u8, 2.5f64, true), (3, 4.5, false)]);
        back(&[(7u32,), (9,)]);
    }

    #[test]
    fn tags_tell_types_apart() {
        assert_eq!(type_name(type_tag::<(u8, f32, bool)>()), "(u8, f32, bool)");
        assert_eq!(type_name(type_tag::<u64>()), "u64");
        assert_eq!(type_name(type_tag::<(bool, bool)>()), "(bool, bool)");
        assert_ne!(type_tag::<(bool, bool)>(), type_tag::<bool>());
        assert_ne!(type_tag::<f32>(), type_tag::<u32>());
    }
}
