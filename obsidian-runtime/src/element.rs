//! Which types a buffer may hold, and how their values lie in memory: a scalar is one field, a tuple one field each.
//! In: slices of values; out: the bytes of each field, and back. Knows no device.

use std::collections::TryReserveError;

use half::{bf16, f16};

use crate::host::HostBytes;
use obsidian_abi::ScalarType;

/// What a [`Buffer`](crate::Buffer) can hold: `bool`, the integers of 8 to 64 bits, [`f16`](struct@f16), [`bf16`], `f32`, `f64`, tuples of one to
/// eight of these. Sealed.
pub trait Element: Copy + Send + Sync + 'static + sealed::Fields {}

/// A scalar argument of a kernel. Sealed.
pub trait ScalarArg: sealed::Scalar {
    /// The value's bits in a `u64`: integers sign- or zero-extended, floats by `to_bits`, bool 0 or 1.
    fn bits(self) -> u64;
}

pub mod sealed {
    use super::*;
    pub use crate::host::Stored;

    /// How the values of an element type are spread over field arrays.
    pub trait Fields: Sized {
        /// Types of the fields, in order.
        const FIELDS: &'static [ScalarType];

        /// Writes field `field` of each of `values` to `to`, which is as long.
        fn store(values: &[Self], field: usize, to: &mut HostBytes);

        /// Reads all values back, from one array per field.
        fn load(fields: &[&HostBytes]) -> Result<Vec<Self>, TryReserveError>;

        /// The values of a buffer's fields where they lie, where they lie there as in a slice.
        fn seen<'a>(fields: &[&'a HostBytes]) -> Option<&'a [Self]>;

        /// The values as they lie in a buffer, where they lie so in a slice.
        fn bytes(values: &[Self]) -> Option<&[u8]>;

        /// The same, to be written with any bits.
        fn bytes_mut(values: &mut [Self]) -> Option<&mut [u8]>;
    }

    /// A single value.
    pub trait Scalar: Copy + Send + Sync + 'static {
        /// Its type.
        const DTYPE: ScalarType;
        /// What lies in memory (a bool is stored as `u8`, since a kernel's bytes are not to be trusted as bools).
        type Stored: Stored;
        /// To memory.
        fn stored(self) -> Self::Stored;
        /// From memory.
        fn from_stored(stored: Self::Stored) -> Self;
        /// Copies a whole array to memory.
        fn store_all(values: &[Self], to: &mut [Self::Stored]);
        /// Appends a whole array from memory; `to` has room for it.
        fn load_all(from: &[Self::Stored], to: &mut Vec<Self>);
        /// A whole array in memory, where any bits are values.
        fn all(stored: &[Self::Stored]) -> Option<&[Self]>;
        /// A whole array, to be written with any bits, where all are values.
        fn all_mut(values: &mut [Self]) -> Option<&mut [Self::Stored]>;
    }
}

use sealed::{Fields, Scalar};

macro_rules! numbers {
    ($($ty:ident $dtype:ident $bits:expr;)+) => {$(
        impl Scalar for $ty {
            const DTYPE: ScalarType = ScalarType::$dtype;
            type Stored = $ty;
            fn stored(self) -> $ty {
                self
            }
            fn from_stored(stored: $ty) -> $ty {
                stored
            }
            fn store_all(values: &[$ty], to: &mut [$ty]) {
                to.copy_from_slice(values);
            }
            fn load_all(from: &[$ty], to: &mut Vec<$ty>) {
                to.extend_from_slice(from);
            }
            fn all(stored: &[$ty]) -> Option<&[$ty]> {
                Some(stored)
            }
            fn all_mut(values: &mut [$ty]) -> Option<&mut [$ty]> {
                Some(values)
            }
        }

        impl ScalarArg for $ty {
            fn bits(self) -> u64 {
                let bits: fn($ty) -> u64 = $bits;
                bits(self)
            }
        }
    )+};
}

numbers! {
    i8 I8 |v| v as u64;
    i16 I16 |v| v as u64;
    i32 I32 |v| v as u64;
    i64 I64 |v| v as u64;
    u8 U8 u64::from;
    u16 U16 u64::from;
    u32 U32 u64::from;
    u64 U64 |v| v;
    f16 F16 |v| u64::from(v.to_bits());
    bf16 BF16 |v| u64::from(v.to_bits());
    f32 F32 |v| u64::from(v.to_bits());
    f64 F64 f64::to_bits;
}

impl Scalar for bool {
    const DTYPE: ScalarType = ScalarType::Bool;
    type Stored = u8;
    fn stored(self) -> u8 {
        u8::from(self)
    }
    fn from_stored(stored: u8) -> bool {
        stored != 0
    }
    fn store_all(values: &[bool], to: &mut [u8]) {
        for (to, &value) in to.iter_mut().zip(values) {
            *to = value.stored();
        }
    }
    fn load_all(from: &[u8], to: &mut Vec<bool>) {
        to.extend(from.iter().map(|&byte| bool::from_stored(byte)));
    }
    fn all(_stored: &[u8]) -> Option<&[bool]> {
        None
    }
    fn all_mut(_values: &mut [bool]) -> Option<&mut [u8]> {
        None
    }
}

impl ScalarArg for bool {
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

// An impl for all scalars at once would clash with the tuples' under the coherence rules.
macro_rules! scalar_elements {
    ($($ty:ident)+) => {$(
        impl Fields for $ty {
            const FIELDS: &'static [ScalarType] = &[<$ty as Scalar>::DTYPE];
            fn store(values: &[$ty], _field: usize, to: &mut HostBytes) {
                <$ty as Scalar>::store_all(values, to.values_mut());
            }
            fn load(fields: &[&HostBytes]) -> Result<Vec<$ty>, TryReserveError> {
                let mut out = Vec::new();
                for field in fields {
                    let values = field.values();
                    out.try_reserve_exact(values.len())?;
                    <$ty as Scalar>::load_all(values, &mut out);
                }
                Ok(out)
            }
            fn seen<'a>(fields: &[&'a HostBytes]) -> Option<&'a [$ty]> {
                fields.first().and_then(|field| <$ty as Scalar>::all(field.values()))
            }
            fn bytes(values: &[$ty]) -> Option<&[u8]> {
                // SAFETY: plain values, and bools, have no padding, so all their bytes are initialised.
                Some(unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) })
            }
            fn bytes_mut(values: &mut [$ty]) -> Option<&mut [u8]> {
                let values = <$ty as Scalar>::all_mut(values)?;
                // SAFETY: as above, and any bits are values of what is stored.
                Some(unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) })
            }
        }
        impl Element for $ty {}
    )+};
}

scalar_elements! { bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 }

/// Writes one field of tuples.
pub fn store_field<V, S: Scalar>(values: &[V], to: &mut HostBytes, get: impl Fn(&V) -> S) {
    for (to, value) in to.values_mut::<S::Stored>().iter_mut().zip(values) {
        *to = get(value).stored();
    }
}

macro_rules! tuple_elements {
    ($($($ty:ident $field:tt)+;)+) => {$(
        impl<$($ty: Scalar),+> Fields for ($($ty,)+) {
            const FIELDS: &'static [ScalarType] = &[$($ty::DTYPE),+];
            fn store(values: &[Self], field: usize, to: &mut HostBytes) {
                match field {
                    $($field => store_field(values, to, |value| value.$field),)+
                    _ => {}
                }
            }
            fn load(fields: &[&HostBytes]) -> Result<Vec<Self>, TryReserveError> {
                let fields = ($(fields[$field].values::<$ty::Stored>(),)+);
                let len = fields.0.len();
                let mut out = Vec::new();
                out.try_reserve_exact(len)?;
                out.extend((0..len).map(|i| ($($ty::from_stored(fields.$field[i]),)+)));
                Ok(out)
            }
            fn seen<'a>(_fields: &[&'a HostBytes]) -> Option<&'a [Self]> {
                None
            }
            fn bytes(_values: &[Self]) -> Option<&[u8]> {
                None
            }
            fn bytes_mut(_values: &mut [Self]) -> Option<&mut [u8]> {
                None
            }
        }
        impl<$($ty: Scalar),+> Element for ($($ty,)+) {}
    )+};
}

tuple_elements! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}

/// Bytes of one element over all fields.
pub(crate) fn element_bytes(fields: &[ScalarType]) -> usize {
    fields.iter().map(|field| field.bytes() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_scalars() {
        assert_eq!((-1i8).bits(), u64::MAX);
        assert_eq!(200u8.bits(), 200);
        assert_eq!(1.0f32.bits(), 0x3f80_0000);
        assert_eq!((-0.0f64).bits(), 1 << 63);
        assert_eq!(true.bits(), 1);
        assert_eq!((f16::from_f32(-2.0).bits(), bf16::from_f32(-2.0).bits()), (0xc000, 0xc000));
    }

    #[test]
    fn fields_in_order() {
        assert_eq!(<(i32, bool, f64) as Fields>::FIELDS, [ScalarType::I32, ScalarType::Bool, ScalarType::F64]);
        assert_eq!(element_bytes(<(i32, bool, f64) as Fields>::FIELDS), 13);
        assert_eq!(<(u8,) as Fields>::FIELDS, [ScalarType::U8]);
    }
}
