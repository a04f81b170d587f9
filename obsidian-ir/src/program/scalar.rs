//! The ranges of integers. Knows no expressions.

use obsidian_abi::ScalarType;

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
        let (lo, hi) = ty.int_range();
        Range { lo, hi }
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
