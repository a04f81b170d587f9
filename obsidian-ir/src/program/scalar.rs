//! Scalar types, constants, and the ranges of integers. Knows no expressions.

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are Rust's
pub enum ScalarType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
}

impl ScalarType {
    /// Every scalar type.
    pub const ALL: [ScalarType; 13] = [
        ScalarType::Bool,
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
        ScalarType::U8,
        ScalarType::U16,
        ScalarType::U32,
        ScalarType::U64,
        ScalarType::F16,
        ScalarType::BF16,
        ScalarType::F32,
        ScalarType::F64,
    ];

    /// Rust's name of the type.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "i8",
            ScalarType::I16 => "i16",
            ScalarType::I32 => "i32",
            ScalarType::I64 => "i64",
            ScalarType::U8 => "u8",
            ScalarType::U16 => "u16",
            ScalarType::U32 => "u32",
            ScalarType::U64 => "u64",
            ScalarType::F16 => "f16",
            ScalarType::BF16 => "bf16",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        ScalarType::ALL.into_iter().find(|t| t.name() == name)
    }

    /// Size in memory, in bytes (`bool` is one).
    pub fn bytes(self) -> u32 {
        match self {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 | ScalarType::BF16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        }
    }

    /// Width in bits (`bool` is one).
    pub fn bits(self) -> u32 {
        if self == ScalarType::Bool { 1 } else { self.bytes() * 8 }
    }

    /// `f16`, `bf16`, `f32` or `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 | ScalarType::F64)
    }

    /// A float of 16 bits: it is stored, loaded and converted from and to `f32`; all arithmetic is done there.
    pub fn is_half(self) -> bool {
        matches!(self, ScalarType::F16 | ScalarType::BF16)
    }

    /// The unsigned integer type of the same width; `bool` has none and gives itself.
    pub fn unsigned(self) -> ScalarType {
        match (self, self.bits()) {
            (ScalarType::Bool, _) => self,
            (_, 8) => ScalarType::U8,
            (_, 16) => ScalarType::U16,
            (_, 32) => ScalarType::U32,
            _ => ScalarType::U64,
        }
    }

    /// An integer type.
    pub fn is_int(self) -> bool {
        !self.is_float() && self != ScalarType::Bool
    }

    /// A signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64)
    }

    /// An unsigned integer type.
    pub fn is_unsigned(self) -> bool {
        self.is_int() && !self.is_signed()
    }
}

/// A constant: its type and its bits (integers sign- or zero-extended to 64 bits, floats as IEEE bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Const {
    /// Its type.
    pub ty: ScalarType,
    /// Its bits.
    pub bits: u64,
}

impl Const {
    /// A `u32`.
    pub fn u32(v: u32) -> Const {
        Const { ty: ScalarType::U32, bits: v.into() }
    }

    /// A `bool`.
    pub fn bool(v: bool) -> Const {
        Const { ty: ScalarType::Bool, bits: v.into() }
    }

    /// The value as an integer, for integer types.
    pub fn int(self) -> i128 {
        if self.ty.is_signed() { (self.bits as i64).into() } else { self.bits.into() }
    }
}

/// The values an integer is known to take, inclusive; the whole type where nothing is known. Floats: ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub lo: i128,
    /// Greatest value.
    pub hi: i128,
}

impl Range {
    /// All values of a type.
    pub fn full(ty: ScalarType) -> Range {
        match ty {
            ScalarType::Bool => Range { lo: 0, hi: 1 },
            _ if ty.is_signed() => Range { lo: -(1i128 << (ty.bits() - 1)), hi: (1i128 << (ty.bits() - 1)) - 1 },
            _ if ty.is_unsigned() => Range { lo: 0, hi: (1i128 << ty.bits()) - 1 },
            _ => Range { lo: 0, hi: 0 },
        }
    }

    /// `lo ..= hi`.
    pub fn new(lo: i128, hi: i128) -> Range {
        Range { lo, hi }
    }

    /// Whether all of this lies in `other`.
    pub fn within(self, other: Range) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }
}
