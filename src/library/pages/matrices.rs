//! Matrices.

// Rendered by obsidian-ir/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
use super::super::{in_kernels_only, types::*};

/// Stores a matrix with `k` unused elements after every row, so that with an odd row in all a column's elements fall into different banks. Cost: as `compute`, and `k` elements of shared memory a row.
///
/// Source: LANGUAGE.md §4; FCL 2016 §3.
pub fn compute_rows_padded<L: Compute, T: Data>(xss: Pull<Pull<T>>, k: u32) -> Program<L, Pull<Pull<T>>> {
    in_kernels_only()
}

/// The rows one after the other; another name of `concat`.
///
/// Source: FCL 2016 §3.
pub fn flatten<T, S: Size>(xss: Pull<Pull<T>, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// A vector as `rows` rows of `columns`; the length must be their product.
///
/// Source: FCL 2016 §3.
pub fn reshape<T>(xs: Pull<T>, rows: u32, columns: u32) -> Pull<Pull<T>> {
    in_kernels_only()
}

/// The inner product of two vectors of one length, in one thread.
///
/// Source: Obsidian's examples (`MatMul`).
pub fn seq_dot<T: Num, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Program<Thread, T> {
    in_kernels_only()
}

/// Rows as columns. Nothing is stored.
///
/// Source: FCL 2016 §3.
pub fn transpose<T>(xss: Pull<Pull<T>>) -> Pull<Pull<T>> {
    in_kernels_only()
}
