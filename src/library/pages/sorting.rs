//! Sorting.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// Sorts `2^k` elements whose first half ascends and whose second descends, or any rotation of such elements. Floats: without NaN. Cost: k phases.
///
/// Source: DAMP 2012 §3 (`bmerge`).
pub fn bitonic_merge<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `bitonic_merge`, in the order of `le`.
///
/// Source: DAMP 2012 §3.
pub fn bitonic_merge_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `bitonic_merge`; `f` of two stays at the lower place, `g` at the upper.
///
/// Source: DAMP 2012 §3.
pub fn bitonic_merge_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// One phase of `sort_odd_even`: places `i` with `i & p == r` and `i + d` are compared.
///
/// Source: Knuth 5.2.2 M.
#[doc(hidden)]
pub fn compare_apart<T>(xs: Pull<T>, p: u32, d: u32, r: u32, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Pull<T> {
    in_kernels_only()
}

/// As `compare_apart`, of `2^k` elements, by threads that write two places each: those that lie `d` apart round the end, where they stay as they are. Of `d` and `r` only what Knuth's order makes is a phase.
///
/// Source: Knuth 5.2.2 M.
#[doc(hidden)]
pub fn compare_in_place<L: AtMost<Block>, T: Data>(xs: Pull<T>, p: u32, d: u32, r: u32, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Push<L, T> {
    in_kernels_only()
}

/// The one of two that `le` puts first; of equal ones `a`.
///
/// Source: DAMP 2012 §3 (`min2`, corrected).
pub fn first_of<T: Data>(a: T, b: T, le: impl Fn(T, T) -> bool) -> T {
    in_kernels_only()
}

/// The one of two that `le` puts last; of equal ones `b`, so that with `first_of` nothing is lost.
///
/// Source: DAMP 2012 §3 (`max2`, corrected).
#[doc(hidden)]
pub fn last_of<T: Data>(a: T, b: T, le: impl Fn(T, T) -> bool) -> T {
    in_kernels_only()
}

/// Sorts any number of elements, ascending, at any level that can compute. Floats: without NaN. Cost: that of `sort_odd_even`; where the length is known when the kernel runs, each element is compared with a mark that keeps the others behind it.
///
/// Source: ICCS 2010 §4.1.
///
/// # Also
///
/// `sort<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, Pull<T, S>>`:
/// Sorts an array of any length, ascending; -0 and 0 stay in their order. Floats: without NaN. Cost: that of `sort_by_key` at `Device`. Source: reference.md §7.
pub fn sort<L: Compute, T: Num, S: Size>(xs: Pull<T, S>) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// Sorts `2^k` elements, ascending, by Batcher's bitonic network: blocks ascend and descend in turn, and each two become one. Floats: without NaN. Cost: k (k + 1) / 2 phases, a thread for two elements, in place.
///
/// Source: Batcher 1968; reference.md §5.
pub fn sort_bitonic<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_bitonic`, in the order of `le`, which compares by a key: elements of one key all stay.
///
/// Source: Batcher 1968.
pub fn sort_bitonic_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_bitonic`; `f` gives the first of two, `g` the last.
///
/// Source: Batcher 1968.
#[doc(hidden)]
pub fn sort_bitonic_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort`, in the order of `le`, which compares by a key: elements of one key all stay.
///
/// Source: ICCS 2010 §4.1.
///
/// # Also
///
/// `sort_by<T: Data, S: Size>(xs: Pull<T, S>, le: impl Fn(T, T) -> bool) -> Program<Device, Pull<T, S>>`:
/// Sorts an array of any length in the order of `le`; elements that `le` holds of either way stay in their order. Blocks sort chunks of 512, then a loop of the host's merges sorted runs two by two: a launch for each doubling, in two buffers. Each tile of a merge, and in it each thread, finds by halving where its elements come from, and merges them one after the other. Source: DAMP 2012 §4; merge path (Odeh and others, 2012).
pub fn sort_by<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// The phases of `sort_odd_even`, each with what tells its pairs.
///
/// Source: Knuth 5.2.2 M.
#[doc(hidden)]
pub fn sort_by_phases<L: Compute, T: Data>(xs: Pull<T>, phase: impl Fn(Pull<T>, u32, u32, u32) -> Push<L, T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// The first `n` elements sorted; the others stay behind them.
///
/// Source: ICCS 2010 §4.1.
#[doc(hidden)]
pub fn sort_first<L: Compute, T: Data>(xs: Pull<T>, n: u32, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Sorts any number of elements, ascending, by Batcher's odd-even merges (Knuth's order of them, 5.2.2 M). Floats: without NaN. Cost: k (k + 1) / 2 phases for at most `2^k` elements, each with fewer comparisons than the other networks; of `2^k` elements a thread for two, in place, else two arrays in shared memory.
///
/// Source: ICCS 2010 §4.1 (`sortOE`).
pub fn sort_odd_even<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_odd_even`, in the order of `le`, which compares by a key: elements of one key all stay.
///
/// Source: ICCS 2010 §4.1.
pub fn sort_odd_even_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_odd_even`; `f` of two stays at the lower place, `g` at the upper.
///
/// Source: ICCS 2010 §4.1.
#[doc(hidden)]
pub fn sort_odd_even_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Sorts `2^k` elements, ascending, by the balanced periodic merger: `ilv_vee`s only. Floats: without NaN. Cost: k (k + 1) / 2 phases, a thread for each element; two arrays in shared memory.
///
/// Source: DAMP 2012 §3 (`vsort1`).
pub fn sort_periodic<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_periodic`, in the order of `le`, which compares by a key: elements of one key all stay. Cost: k (k + 1) / 2 phases, a thread for two elements.
///
/// Source: DAMP 2012 §3 (`vsort2`).
pub fn sort_periodic_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_periodic`; `f` of two stays at the lower place, `g` at the upper. Cost: k (k + 1) / 2 phases, a thread for two elements.
///
/// Source: DAMP 2012 §3 (`vsort2`).
#[doc(hidden)]
pub fn sort_periodic_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Sorts `2^k` elements, ascending: a tree of merges, each a `vee` and then `ilv`s of falling distance. Floats: without NaN. Cost: k (k + 1) / 2 phases, a thread for each element; two arrays in shared memory.
///
/// Source: DAMP 2012 §3 (`tsort1`).
pub fn sort_tree<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_tree`, in the order of `le`, which compares by a key: elements of one key all stay. Cost: k (k + 1) / 2 phases, a thread for two elements.
///
/// Source: DAMP 2012 §3 (`tsort2`).
pub fn sort_tree_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_tree`; `f` of two stays at the lower place, `g` at the upper. Cost: k (k + 1) / 2 phases, a thread for two elements.
///
/// Source: DAMP 2012 §3 (`tsort2`).
#[doc(hidden)]
pub fn sort_tree_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Another name of `sort_tree`.
///
/// Source: DAMP 2012 §3.
pub fn tsort<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Another name of `sort_tree`.
///
/// Source: DAMP 2012 §3.
pub fn tsort1<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_tree` by half the threads and without conditionals: each thread writes two elements. Floats: without NaN. Cost: k (k + 1) / 2 phases, in place.
///
/// Source: DAMP 2012 §3 (`tsort2`).
pub fn tsort2<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Another name of `sort_periodic`.
///
/// Source: DAMP 2012 §3.
pub fn vsort<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Another name of `sort_periodic`.
///
/// Source: DAMP 2012 §3.
pub fn vsort1<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `sort_periodic` by half the threads and without conditionals: each thread writes two elements. Floats: without NaN. Cost: k (k + 1) / 2 phases, in place.
///
/// Source: DAMP 2012 §3 (`vsort2`).
pub fn vsort2<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}
