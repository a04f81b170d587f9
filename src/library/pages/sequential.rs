//! Sequential and unrolled folds.

// Rendered by obsidian-ir/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
use super::super::{in_kernels_only, types::*};

/// Left fold of a non-empty array, unrolled.
///
/// Source: Obsidian's library (`fold1`).
pub fn fold1<T>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> T {
    in_kernels_only()
}

/// Left fold of a non-empty array, a loop in one thread.
///
/// Source: JFP 2016 §6.2 (`seqReduce`).
pub fn seq_reduce<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Thread, T> {
    in_kernels_only()
}
