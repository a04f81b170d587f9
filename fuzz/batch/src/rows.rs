//! Elements of all types from bits and back.

use obsidian::{Element, bf16, f16};

use crate::{Columns, Failure};

/// A scalar.
pub trait Value: Copy {
    fn bits(self) -> u64;
    fn of(bits: u64) -> Self;
}

/// An element of a buffer.
pub trait Row: Element {
    const WIDTH: usize;
    /// From the bits of its fields; as many as there are.
    fn of_fields(fields: &[u64]) -> Self;
    fn fields(self) -> Vec<u64>;
}

macro_rules! values {
    ($($ty:ty: $bits:expr, $of:expr;)*) => {$(
        impl Value for $ty {
            fn bits(self) -> u64 {
                let bits: fn($ty) -> u64 = $bits;
                bits(self)
            }
            fn of(bits: u64) -> $ty {
                let of: fn(u64) -> $ty = $of;
                of(bits)
            }
        }
        impl Row for $ty {
            const WIDTH: usize = 1;
            fn of_fields(fields: &[u64]) -> $ty {
                <$ty as Value>::of(fields[0])
            }
            fn fields(self) -> Vec<u64> {
                vec![self.bits()]
            }
        }
    )*};
}

values! {
    bool: u64::from, |b| b != 0;
    i8: |x| x as u64, |b| b as i8;
    i16: |x| x as u64, |b| b as i16;
    i32: |x| x as u64, |b| b as i32;
    i64: |x| x as u64, |b| b as i64;
    u8: u64::from, |b| b as u8;
    u16: u64::from, |b| b as u16;
    u32: u64::from, |b| b as u32;
    u64: |x| x, |b| b;
    f16: |x| x.to_bits().into(), |b| f16::from_bits(b as u16);
    bf16: |x| x.to_bits().into(), |b| bf16::from_bits(b as u16);
    f32: |x| x.to_bits().into(), |b| f32::from_bits(b as u32);
    f64: f64::to_bits, f64::from_bits;
}

impl<A: Value, B: Value> Row for (A, B)
where
    (A, B): Element,
{
    const WIDTH: usize = 2;
    fn of_fields(fields: &[u64]) -> Self {
        (A::of(fields[0]), B::of(fields[1]))
    }
    fn fields(self) -> Vec<u64> {
        vec![self.0.bits(), self.1.bits()]
    }
}

impl<A: Value, B: Value, C: Value> Row for (A, B, C)
where
    (A, B, C): Element,
{
    const WIDTH: usize = 3;
    fn of_fields(fields: &[u64]) -> Self {
        (A::of(fields[0]), B::of(fields[1]), C::of(fields[2]))
    }
    fn fields(self) -> Vec<u64> {
        vec![self.0.bits(), self.1.bits(), self.2.bits()]
    }
}

/// Columns as elements.
pub fn joined<T: Row>(columns: &Columns) -> Result<Vec<T>, Failure> {
    if columns.len() != T::WIDTH {
        return Err(format!("{} fields, not {}", columns.len(), T::WIDTH).into());
    }
    let row = |i: usize| T::of_fields(&columns.iter().map(|c| c[i]).collect::<Vec<u64>>());
    Ok((0..columns[0].len()).map(row).collect())
}

/// The one value of a scalar argument.
pub fn value<T: Row>(columns: &Columns) -> Result<T, Failure> {
    joined(columns)?.into_iter().next().ok_or_else(|| "a scalar without a value".into())
}

/// Elements as columns.
pub fn split<T: Row>(rows: &[T]) -> Columns {
    let mut columns = vec![Vec::with_capacity(rows.len()); T::WIDTH];
    for row in rows {
        columns.iter_mut().zip(row.fields()).for_each(|(column, bits)| column.push(bits));
    }
    columns
}
