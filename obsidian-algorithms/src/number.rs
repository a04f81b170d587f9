//! The types of elements: each picks its variant of the kernels.

use obsidian::abi;
use obsidian::prelude::*;

use crate::kernels;

mod sealed {
    /// Only the types of this crate.
    pub trait Sealed {
        /// As kernels add.
        fn plus(self, other: Self) -> Self;
    }
}

macro_rules! sealed {
    ($($ty:ident $plus:expr;)*) => {
        $(impl sealed::Sealed for $ty {
            fn plus(self, other: $ty) -> $ty {
                let plus: fn($ty, $ty) -> $ty = $plus;
                plus(self, other)
            }
        })*
    };
}

sealed! {
    u32 u32::wrapping_add;
    i32 i32::wrapping_add;
    u64 u64::wrapping_add;
    i64 i64::wrapping_add;
    f32 |a, b| a + b;
    f64 |a, b| a + b;
}

macro_rules! numbers {
    (
        [$($ty:ty),*]
        $($name:ident($($arg:ident: $of:ty),*) -> $result:ty;)*
    ) => {
        /// The elements of what this crate computes with: `u32`, `i32`, `u64`, `i64`, `f32` and `f64`.
        pub trait Number: Element + PartialOrd + abi::ScalarArg + sealed::Sealed {
            /// 0 and 1.
            #[doc(hidden)]
            const UNITS: (Self, Self);
            $(
                #[doc(hidden)]
                fn $name(xs: &Buffer<Self>, $($arg: $of),*) -> Result<$result, Error>;
            )*
        }

        numbers!(@each [$($ty),*] { $(fn $name(xs: &Buffer<Self>, $($arg: $of),*) -> Result<$result, Error> {
            kernels::$name.run(xs.device(), xs, $($arg),*)
        })* });
    };
    (@each [$($ty:ty),*] $methods:tt) => { $(numbers!(@one $ty, $methods);)* };
    (@one $ty:ty, { $($method:item)* }) => {
        impl Number for $ty {
            const UNITS: (Self, Self) = (0 as $ty, 1 as $ty);
            $($method)*
        }
    };
}

numbers! {
    [u32, i32, u64, i64, f32, f64]
    sum() -> Buffer<Self>;
    product() -> Buffer<Self>;
    extremes() -> Buffer<(Self, Self)>;
    sums() -> Buffer<Self>;
    sums_before(init: Self) -> Buffer<Self>;
    sums_of_segments(offsets: &Buffer<u32>) -> Buffer<Self>;
    sorted() -> Buffer<Self>;
    sorted_places() -> Buffer<u32>;
    taken(places: &Buffer<u32>) -> Buffer<Self>;
    greatest(k: u32) -> Buffer<Self>;
    selected(flags: &Buffer<bool>) -> Buffer<Self>;
    firsts() -> Buffer<Self>;
    runs() -> Buffer<(Self, u32)>;
    sums_of_tiles() -> Buffer<Self>;
    sums_of_pairs() -> Buffer<Self>;
    sums_in_tiles(before: &Buffer<Self>) -> Buffer<Self>;
    merged(first: u32) -> Buffer<Self>;
    transposed(columns: u32) -> Buffer<Self>;
}
