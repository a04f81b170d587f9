//! The types of elements: their values, and what the operators, orders, keys and choices of the kernels mean, in plain Rust.

use obsidian::Element;

/// A number of few bits for each place.
pub(crate) fn mixed(i: usize) -> u32 {
    (i as u32).wrapping_mul(2_654_435_761) >> 7
}

/// A type of elements.
pub trait Item: Element + Copy + PartialEq + std::fmt::Debug + Send + Sync {
    /// For messages.
    const NAME: &'static str;
    /// What a fold begins with.
    const INIT: Self;
    /// A value for any number: sums of a million of them are not rounded.
    fn small(n: u32) -> Self;
    /// A value that may be any of many.
    fn of(n: u32) -> Self;
    /// A value such that sums are rounded, where sums of the type are at all.
    fn rounded(n: u32) -> Self;
    /// The operator.
    fn combined(op: u32, a: Self, b: Self) -> Self;
    /// Whether `a` may stand before `b`.
    fn in_order(order: u32, a: Self, b: Self) -> bool;
    /// The number that keys and choices look at.
    fn number(self) -> u32;
    /// Its bits.
    fn bits(self) -> [u64; 2];
}

/// The key of a number.
pub(crate) fn key(by: u32, x: u32) -> u32 {
    match by {
        0 => x,
        1 => x % 17,
        _ => u32::MAX - x,
    }
}

/// Whether a number stays.
pub(crate) fn kept(which: u32, x: u32) -> bool {
    match which {
        0 => x.is_multiple_of(3),
        _ => which == 2,
    }
}

macro_rules! numbers {
    ($($ty:ident: $rounded:expr, $plus:expr, $bits:expr;)*) => { $(impl Item for $ty {
        const NAME: &'static str = stringify!($ty);
        const INIT: $ty = 3 as $ty;
        fn small(n: u32) -> $ty {
            (n % 16) as $ty
        }
        fn of(n: u32) -> $ty {
            (n & 0x00ff_ffff) as $ty
        }
        fn rounded(n: u32) -> $ty {
            $rounded(n)
        }
        fn combined(op: u32, a: $ty, b: $ty) -> $ty {
            match op {
                0 => $plus(a, b),
                1 if a > b => a,
                1 => b,
                _ if b == 0 as $ty => a,
                _ => b,
            }
        }
        fn in_order(order: u32, a: $ty, b: $ty) -> bool {
            match order {
                0 => a <= b,
                1 => a >= b,
                _ => a.number() % 17 <= b.number() % 17,
            }
        }
        fn number(self) -> u32 {
            self as u32
        }
        fn bits(self) -> [u64; 2] {
            [$bits(self), 0]
        }
    })* };
}

numbers! {
    u32: u32::wrapping_neg, u32::wrapping_add, u64::from;
    i64: |n| i64::from(n) * -3_000_000_007, i64::wrapping_add, i64::cast_unsigned;
    f32: |n| (n % 10_007) as f32 / 3.0, |a, b| a + b, |x: f32| x.to_bits().into();
    f64: |n| f64::from(n) / 7.0, |a, b| a + b, f64::to_bits;
}

impl Item for (u32, i64) {
    const NAME: &'static str = "(u32, i64)";
    const INIT: (u32, i64) = (3, 5);

    fn small(n: u32) -> (u32, i64) {
        (if n.is_multiple_of(97) { n } else { 0 }, i64::from(n) * -3_000_000_007)
    }

    fn of(n: u32) -> (u32, i64) {
        (n & 0x00ff_ffff, i64::from(n % 1013))
    }

    fn rounded(n: u32) -> (u32, i64) {
        (n, i64::from(n))
    }

    fn combined(op: u32, a: (u32, i64), b: (u32, i64)) -> (u32, i64) {
        match op {
            0 => (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1)),
            1 => (a.0.max(b.0), a.1.min(b.1)),
            _ if b.0 == 0 => (a.0, a.1.wrapping_add(b.1)),
            _ => b,
        }
    }

    fn in_order(order: u32, a: (u32, i64), b: (u32, i64)) -> bool {
        match order {
            0 => a.0 <= b.0,
            1 => a.0 >= b.0,
            _ => a.1 % 17 <= b.1 % 17,
        }
    }

    fn number(self) -> u32 {
        self.0
    }

    fn bits(self) -> [u64; 2] {
        [self.0.into(), self.1.cast_unsigned()]
    }
}
