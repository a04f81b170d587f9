//! Constants and the ranges of integers. Knows no expressions.

use obsidian_abi::ScalarType;

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

    /// The values that lie in both; `None` where there are none.
    pub fn both(self, other: Range) -> Option<Range> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Range { lo, hi })
    }

    /// Whether all of this lies in `other`.
    pub fn within(self, other: Range) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }
}
