//! Totals.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// For how many elements `test` holds; where it runs, and how, as of `sum`.
///
/// Source: Rust's `filter(..).count()`.
///
/// # Also
///
/// `count<L: Compute, T, S: Size>(xs: Pull<T, S>, test: impl Fn(T) -> bool) -> Program<L, u32>`:
/// For how many elements `test` holds, for all threads of a level. Source: Rust's `filter(..).count()`.
///
/// `count<T, S: Size>(xs: Pull<T, S>, test: impl Fn(T) -> bool) -> Program<Device, u32>`:
/// For how many elements `test` holds, at `Device`. Source: Rust's `filter(..).count()`.
pub fn count<T, S: Size>(xs: Pull<T, S>, test: impl Fn(T) -> bool) -> u32 {
    in_kernels_only()
}

/// What `f` makes of all elements, of which there must be one, for all threads of a level.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn extreme<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<L, T> {
    in_kernels_only()
}

/// Left fold by a loop of whoever comes by.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn in_a_loop<T, A: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> A) -> A {
    in_kernels_only()
}

/// The greatest of all elements, of which there must be one; where it runs, and how, as of `sum`.
///
/// Source: Accelerate 2011 (`maximum`).
///
/// # Also
///
/// `maximum<L: Compute, T: Num, S: Size>(xs: Pull<T, S>) -> Program<L, T>`:
/// The greatest of all elements, of which there must be one, for all threads of a level. Source: Accelerate 2011 (`maximum`).
///
/// `maximum<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, T>`:
/// The greatest of all elements, of which there must be one, at `Device`. Source: Accelerate 2011 (`maximum`).
pub fn maximum<T: Num, S: Size>(xs: Pull<T, S>) -> T {
    in_kernels_only()
}

/// The least of all elements, of which there must be one; where it runs, and how, as of `sum`.
///
/// Source: Accelerate 2011 (`minimum`).
///
/// # Also
///
/// `minimum<L: Compute, T: Num, S: Size>(xs: Pull<T, S>) -> Program<L, T>`:
/// The least of all elements, of which there must be one, for all threads of a level. Source: Accelerate 2011 (`minimum`).
///
/// `minimum<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, T>`:
/// The least of all elements, of which there must be one, at `Device`. Source: Accelerate 2011 (`minimum`).
pub fn minimum<T: Num, S: Size>(xs: Pull<T, S>) -> T {
    in_kernels_only()
}

/// The product of all elements, 1 of none; where it runs, and how, as of `sum`.
///
/// Source: Accelerate 2011 (`product`).
///
/// # Also
///
/// `product<L: Compute, T: Num, S: Size>(xs: Pull<T, S>) -> Program<L, T>`:
/// The product of all elements, 1 of none, for all threads of a level. Source: Accelerate 2011 (`product`).
///
/// `product<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, T>`:
/// The product of all elements, 1 of none, at `Device`. Source: Accelerate 2011 (`product`).
pub fn product<T: Num, S: Size>(xs: Pull<T, S>) -> T {
    in_kernels_only()
}

/// The sum of all elements, 0 of none. In a closure that gives an element it is a loop of the thread that computes the element: where many elements need one sum, take it before, in the code of a block (`as_grid_rows`) or at `Device`.
///
/// Source: Accelerate 2011 (`sum`).
///
/// # Also
///
/// `sum<L: Compute, T: Num, S: Size>(xs: Pull<T, S>) -> Program<L, T>`:
/// The sum of all elements, 0 of none, for all threads of a level: by `reduce`, in a thread by a loop. Source: Accelerate 2011 (`sum`).
///
/// `sum<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, T>`:
/// The sum of all elements, 0 of none, a number that the next launches use: `reduce` at `Device`. Source: Accelerate 2011 (`sum`).
pub fn sum<T: Num, S: Size>(xs: Pull<T, S>) -> T {
    in_kernels_only()
}

/// What `f` makes of all elements, `none` where there are none, for all threads of a level.
///
/// Source: reference.md §5.
///
/// # Also
///
/// `total<T: Data, S: Size>(xs: Pull<T, S>, none: T, f: impl Fn(T, T) -> T) -> Program<Device, T>`:
/// What `f` makes of all elements, `none` where there are none, at `Device`. Source: reference.md §5.
#[doc(hidden)]
pub fn total<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, none: T, f: impl Fn(T, T) -> T) -> Program<L, T> {
    in_kernels_only()
}
