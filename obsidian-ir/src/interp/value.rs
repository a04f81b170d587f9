//! What goes into a run and comes out of it: typed buffers and scalars as bits.

use crate::program::{Const, ScalarType, arith};

/// A Rust type that is a scalar of the language.
pub trait Scalar: Copy {
    /// The scalar type.
    const TYPE: ScalarType;
    /// The value as canonical bits: integers sign- or zero-extended, floats as IEEE bits.
    fn to_bits64(self) -> u64;
    /// The value of canonical bits.
    fn from_bits64(bits: u64) -> Self;
}

macro_rules! integers {
    ($($t:ty => $name:ident),*) => {$(
        impl Scalar for $t {
            const TYPE: ScalarType = ScalarType::$name;
            fn to_bits64(self) -> u64 {
                self as i128 as u64
            }
            fn from_bits64(bits: u64) -> Self {
                bits as $t
            }
        }
    )*};
}

integers!(i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64);

impl Scalar for bool {
    const TYPE: ScalarType = ScalarType::Bool;
    fn to_bits64(self) -> u64 {
        self.into()
    }
    fn from_bits64(bits: u64) -> Self {
        bits != 0
    }
}

impl Scalar for f32 {
    const TYPE: ScalarType = ScalarType::F32;
    fn to_bits64(self) -> u64 {
        self.to_bits().into()
    }
    fn from_bits64(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
}

impl Scalar for f64 {
    const TYPE: ScalarType = ScalarType::F64;
    fn to_bits64(self) -> u64 {
        self.to_bits()
    }
    fn from_bits64(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

/// The elements of one field of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Element type.
    pub ty: ScalarType,
    /// The elements as canonical bits (see [`Const`]).
    pub bits: Vec<u64>,
}

impl Buffer {
    /// A buffer of these elements.
    pub fn new<T: Scalar>(elements: &[T]) -> Buffer {
        Buffer { ty: T::TYPE, bits: elements.iter().map(|x| x.to_bits64()).collect() }
    }

    /// From how the elements lie in memory.
    pub fn of_bytes(bytes: &[u8], ty: ScalarType) -> Buffer {
        let bits = match ty.bytes() {
            1 => words(bytes, |[byte]| byte.into()),
            2 => words(bytes, |two| u16::from_le_bytes(two).into()),
            4 => words(bytes, |four| u32::from_le_bytes(four).into()),
            _ => words(bytes, u64::from_le_bytes),
        };
        let canonical = |word: u64| if ty.is_float() { word } else { arith::wrap(ty, word.into()) };
        Buffer { ty, bits: bits.into_iter().map(canonical).collect() }
    }

    /// As the elements lie in memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self.ty.bytes() {
            1 => self.bytes(|word| [word as u8]),
            2 => self.bytes(|word| (word as u16).to_le_bytes()),
            4 => self.bytes(|word| (word as u32).to_le_bytes()),
            _ => self.bytes(u64::to_le_bytes),
        }
    }

    fn bytes<const N: usize>(&self, of: impl Fn(u64) -> [u8; N]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bits.len() * N);
        self.bits.iter().for_each(|&word| bytes.extend_from_slice(&of(word)));
        bytes
    }

    /// The elements; `None` where the type is another.
    pub fn to_vec<T: Scalar>(&self) -> Option<Vec<T>> {
        (self.ty == T::TYPE).then(|| self.bits.iter().map(|&b| T::from_bits64(b)).collect())
    }
}

/// The words of memory; the bytes of an element that is cut off are none.
fn words<const N: usize>(bytes: &[u8], of: impl Fn([u8; N]) -> u64) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|&element| of(element)).collect()
}

impl<T: Scalar> From<Vec<T>> for Buffer {
    fn from(elements: Vec<T>) -> Buffer {
        Buffer::new(&elements)
    }
}

/// The argument of a parameter that is not an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// An input or a buffer that is updated: one buffer a tuple field.
    Buffers(Vec<Buffer>),
    /// A scalar.
    Scalar(Const),
}

/// The arguments of a run: one for each parameter that is not an output, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Args(pub Vec<Arg>);

impl Args {
    /// No arguments yet.
    pub fn new() -> Args {
        Args::default()
    }

    /// Adds an input of one field.
    #[must_use]
    pub fn buffer(self, buffer: impl Into<Buffer>) -> Args {
        self.buffers(vec![buffer.into()])
    }

    /// Adds an input of tuples: one buffer per field.
    #[must_use]
    pub fn buffers(mut self, fields: Vec<Buffer>) -> Args {
        self.0.push(Arg::Buffers(fields));
        self
    }

    /// Adds a scalar.
    #[must_use]
    pub fn scalar<T: Scalar>(mut self, value: T) -> Args {
        self.0.push(Arg::Scalar(Const { ty: T::TYPE, bits: value.to_bits64() }));
        self
    }
}

/// What a run has written: for each buffer that it updates, then for each output, one buffer a tuple field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outputs(pub Vec<Vec<Buffer>>);

impl Outputs {
    /// The elements of the only field of output `i`; `None` where there is no such output, or its type is another.
    pub fn to_vec<T: Scalar>(&self, i: usize) -> Option<Vec<T>> {
        self.0.get(i)?.first()?.to_vec()
    }
}
