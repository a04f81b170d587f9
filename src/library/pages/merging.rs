//! Merging.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// The first `most` of each tile of 512 elements, sorted.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn first_of_each<T: Data, S: Size>(xs: Pull<T, S>, most: u32, le: impl Fn(T, T) -> bool) -> DPush<Grid, T> {
    in_kernels_only()
}

/// Elements of which the first `most` of `sort_by` are those of `xs`: the rounds leave one tile of the longest array where `most` is 32.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn first_of_tiles<T: Data, S: Size>(xs: Pull<T, S>, most: u32, le: impl Fn(T, T) -> bool) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// Elements `d` up to `d + few` of the merge of two runs that lie one behind the other, `pair` being where and how long they are, written one after the other by a thread. `rounds` as of `of_first_run`.
///
/// Source: merge path (Odeh and others, 2012).
#[doc(hidden)]
pub fn merge_few<T: Data>(runs: Pull<T>, pair: (u32, u32, u32), d: u32, few: u32, rounds: u32, le: impl Fn(T, T) -> bool) -> Program<Thread, Push<Thread, T>> {
    in_kernels_only()
}

/// The runs of `few << r` elements, merged two by two; only `n` elements count. Of equal ones those of the first run come first.
///
/// Source: merge path (Odeh and others, 2012).
#[doc(hidden)]
pub fn merge_runs<T: Data>(runs: Pull<T>, n: u32, few: u32, r: u32, le: impl Fn(T, T) -> bool) -> Push<Block, T> {
    in_kernels_only()
}

/// Sorts any number of elements in a block, in the order of `le`; elements that `le` holds of either way stay in their order. Each thread sorts a few neighbours, and a loop merges runs two by two, each thread a few elements again. Cost: one array in shared memory, two where there are fewer threads than a quarter of the elements, of more than 64 bits than half of them; a phase for each doubling from 4 elements on, of more than 64 bits from 2.
///
/// Source: merge path (Odeh and others, 2012).
pub fn merge_sort<T: Data, S: Size>(xs: Pull<T, S>, le: impl Fn(T, T) -> bool) -> Program<Block, Pull<T, S>> {
    in_kernels_only()
}

/// How many elements a thread merges: 4, of more than 64 bits 2; then a tile is never longer than two chunks of 512. The value is not evaluated.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn merged_by_a_thread<T: Data>(like: T) -> u32 {
    in_kernels_only()
}

/// The first run of `first` elements and the second of `second`, from `start` on, as one: `pair` gives these three of the pair that an element belongs to. A block merges a tile of elements, which all belong to one pair, and each of its 256 threads a few. Of equal elements those of the first run come first.
///
/// Source: merge path (Odeh and others, 2012).
#[doc(hidden)]
pub fn merged_tiles<T: Data, S: Size>(runs: Pull<T, S>, pair: impl Fn(u32) -> (u32, u32, u32), le: impl Fn(T, T) -> bool) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// How many of the first `d` elements of the merge of two runs are of the first run, which has fewer than `2^rounds`: from the highest bit down.
///
/// Source: merge path (Odeh and others, 2012).
#[doc(hidden)]
pub fn of_first_run<T: Data, S: Size>(runs: Pull<T, S>, pair: (u32, u32, u32), d: u32, rounds: u32, le: impl Fn(T, T) -> bool) -> Program<Thread, u32> {
    in_kernels_only()
}

/// A few neighbours of a thread in the order of `le`, the first of which is element `at` of `n`; what is behind the last stays there.
///
/// Source: Knuth 5.2.2 (exchanges of neighbours).
#[doc(hidden)]
pub fn sort_few<T: Data>(xs: Pull<T>, at: u32, n: u32, le: impl Fn(T, T) -> bool) -> Program<Thread, Pull<T>> {
    in_kernels_only()
}

/// The `k` greatest elements, in descending order; all, if there are fewer. Floats: without NaN. Cost: that of `top_k_by`.
///
/// Source: reference.md §7.
pub fn top_k<T: Num, S: Size>(xs: Pull<T, S>, k: u32) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// The first `k` elements of `sort_by`; all, if there are fewer. Of at most 128, blocks sort tiles of 512 elements and keep the first 32 or 128 of each, until one tile is left: a launch for each time that the array gets 16 or 4 times shorter, of which the first reads `xs` once, and two more. Of more than 128 the cost is that of `sort_by`, and two launches.
///
/// Source: reference.md §7.
pub fn top_k_by<T: Data, S: Size>(xs: Pull<T, S>, k: u32, le: impl Fn(T, T) -> bool) -> Program<Device, DPull<T>> {
    in_kernels_only()
}
