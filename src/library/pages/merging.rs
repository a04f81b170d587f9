//! Merging.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
use super::super::{in_kernels_only, types::*};

/// Element `k` of the merge of runs of `w` elements, two by two; only `n` elements count. Of equal ones those of the first run come first.
///
/// Source: merge path (Odeh and others, 2012).
pub fn merged_at<T: Data, S: Size>(runs: Pull<T, S>, n: u32, w: u32, k: u32, le: impl Fn(T, T) -> bool) -> Program<Thread, T> {
    in_kernels_only()
}

/// Sorted runs of `w` elements, each two of them merged.
///
/// Source: merge path (Odeh and others, 2012).
pub fn merged_runs<T: Data, S: Size>(runs: Pull<T, S>, w: u32, le: impl Fn(T, T) -> bool) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// Sorts an array of any length by a key, ascending; elements of one key stay in their order. Cost: that of `sort_by` at `Device`.
///
/// Source: reference.md §7.
pub fn sort_by_key<T: Data, K: Num, S: Size>(xs: Pull<T, S>, key: impl Fn(T) -> K) -> Program<Device, Pull<T, S>> {
    in_kernels_only()
}

/// Sorts a chunk of a known most length in the order of `le`; elements that `le` holds of either way stay in their order. Cost: a phase for each doubling.
///
/// Source: merge path (Odeh and others, 2012).
pub fn sort_by_merges<T: Data, S: Size>(xs: Pull<T, S>, le: impl Fn(T, T) -> bool) -> Program<Block, DPush<Block, T>> {
    in_kernels_only()
}
