//! What the operators of `programs/src/operators.rs` mean, and the numbers that the programs are given.

use obsidian::Element;

pub fn key(i: usize) -> u32 {
    (i as u32).wrapping_mul(2_654_435_761) >> 7
}

/// A type of elements with what the operators of the programs need.
pub trait Number: Element + Copy + PartialEq + PartialOrd + std::fmt::Debug {
    fn of(n: u32) -> Self;
    fn plus(self, other: Self) -> Self;
}

macro_rules! numbers {
    ($($ty:ty),*) => { $(impl Number for $ty {
        fn of(n: u32) -> Self {
            n as $ty
        }
        fn plus(self, other: Self) -> Self {
            self + other
        }
    })* };
}

numbers!(u32, i64, f32, f64);

pub fn combined<T: Number>(op: u32, a: T, b: T) -> T {
    match op {
        0 => a.plus(b),
        1 if a > b => a,
        1 => b,
        _ if b == T::of(0) => a,
        _ => b,
    }
}

pub fn then(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
    (f.0.wrapping_mul(g.0), f.1.wrapping_mul(g.0).wrapping_add(g.1))
}
