//! The types of elements: each picks its variant of the kernels.

use obsidian::abi;
use obsidian::prelude::*;

use crate::kernels;

mod sealed {
    /// Only the types of this crate.
    pub trait Sealed {}
}

macro_rules! numbers {
    (
        [$($ty:ty),*]
        $($name:ident($($arg:ident: $of:ty),*) -> $result:ty;)*
    ) => {
        /// The elements of what this crate computes with: `u32`, `i32`, `u64`, `i64`, `f32` and `f64`.
        pub trait Number: Element + abi::ScalarArg + sealed::Sealed {
            /// 0 and 1.
            #[doc(hidden)]
            const UNITS: (Self, Self);
            $(
                #[doc(hidden)]
                fn $name(xs: &Buffer<Self>, $($arg: $of),*) -> Result<$result, Error>;
            )*
        }

        $(impl sealed::Sealed for $ty {})*
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
}
