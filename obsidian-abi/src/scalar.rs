//! The scalar types of the kernel language: their names, sizes and classes.

use std::fmt;

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
    pub const fn name(self) -> &'static str {
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
    pub const fn bytes(self) -> u32 {
        match self {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 | ScalarType::BF16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        }
    }

    /// Width in bits (`bool` is one).
    pub const fn bits(self) -> u32 {
        if matches!(self, ScalarType::Bool) { 1 } else { self.bytes() * 8 }
    }

    /// `f16`, `bf16`, `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 | ScalarType::F64)
    }

    /// A float of 16 bits: it is stored, loaded and converted from and to `f32`; all arithmetic is done there.
    pub const fn is_half(self) -> bool {
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

    /// The least and the greatest value of an integer type; `bool` is 0 to 1, a float has none and gives zeros.
    pub const fn int_range(self) -> (i128, i128) {
        match self {
            ScalarType::Bool => (0, 1),
            _ if self.is_signed() => (-(1i128 << (self.bits() - 1)), (1i128 << (self.bits() - 1)) - 1),
            _ if self.is_unsigned() => (0, (1i128 << self.bits()) - 1),
            _ => (0, 0),
        }
    }

    /// An integer type.
    pub const fn is_int(self) -> bool {
        !self.is_float() && !matches!(self, ScalarType::Bool)
    }

    /// A signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64)
    }

    /// An unsigned integer type.
    pub const fn is_unsigned(self) -> bool {
        self.is_int() && !self.is_signed()
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_are_those_of_rust() {
        for ty in ScalarType::ALL {
            assert_eq!(ScalarType::from_name(ty.name()), Some(ty));
            assert_eq!(ty.is_float(), ty.name().contains('f'), "{ty}");
            assert_eq!(ty.is_int(), ty.is_signed() || ty.is_unsigned(), "{ty}");
            let digits = ty.name().trim_start_matches(|c: char| !c.is_ascii_digit());
            assert_eq!(ty.bits(), digits.parse().unwrap_or(1), "{ty}");
            assert_eq!(ty.bytes(), ty.bits().div_ceil(8), "{ty}");
            assert_eq!(ty.unsigned().bits(), ty.bits(), "{ty}");
        }
        assert_eq!(ScalarType::from_name("f128"), None);
    }
}
