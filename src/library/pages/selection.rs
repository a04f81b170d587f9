//! Selection.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// The elements for which `keep` holds, in their order. How many these are is known when the kernel runs, and all threads of the level agree on it. Each element finds its source, so no two threads could write one place, and nothing needs `unsafe`. Cost: a scan, and ⌈log2 len⌉ reads for each element.
///
/// Source: FCL 2016; reference.md §5.
pub fn compact<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, keep: impl Fn(T) -> bool) -> Program<L, DPull<T>> {
    in_kernels_only()
}

/// The `total` elements where `counts`, which ascends by at most one from place to place, ascends. Each element of the result finds its source, so no two threads could write one place.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn elements_counted<T: Data, S: Size>(xs: Pull<T, S>, counts: DPull<u32>, total: u32) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// The elements for which `keep` holds, in their order, as an array of just their number, which the host fetches, and waits for. Two launches on CUDA, four elsewhere; each element that stays is found by at most 32 reads.
///
/// Source: FCL 2016; reference.md §7.
pub fn filter<T: Data, S: Size>(xs: Pull<T, S>, keep: impl Fn(T) -> bool) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// The elements at the places for which `keep` holds, in their order.
///
/// Source: reference.md §7.
pub fn filter_places<T: Data, S: Size>(xs: Pull<T, S>, keep: impl Fn(u32) -> bool) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// The first place of an ascending array whose element is greater than `k`; its length, if there is none.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn first_above<S: Size>(ascending: Pull<u32, S>, k: u32) -> Program<Thread, u32> {
    in_kernels_only()
}

/// For how many places up to each one `keep` holds.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn kept_so_far<T: Data, S: Size>(xs: Pull<T, S>, keep: impl Fn(u32) -> bool) -> Program<Device, Pull<u32, S>> {
    in_kernels_only()
}

/// All elements, those for which `keep` holds first and each side in its order, and how many these are. Each element finds its source, so no two threads could write one place, and nothing needs `unsafe`. Cost: a scan, and ⌈log2 len⌉ reads for each element.
///
/// Source: FCL 2016; reference.md §7.
///
/// # Also
///
/// `partition<T: Data, S: Size>(xs: Pull<T, S>, keep: impl Fn(T) -> bool) -> Program<Device, (DPull<T>, DPull<T>)>`:
/// The elements for which `keep` holds, and those for which it does not, each in their order. Cost: that of `filter`, and a launch. Source: reference.md §7.
pub fn partition<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, keep: impl Fn(T) -> bool) -> Program<L, (Pull<T, S>, u32)> {
    in_kernels_only()
}

/// Sorts by the lowest `bits` bits of a key, which are known while compiling: stable, bit after bit. Cost: a `partition` for each bit.
///
/// Source: reference.md §7.
pub fn radix_sort<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, bits: u32, key: impl Fn(T) -> u32) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// The runs of equal neighbours, in their order: the element of each, and how many there are of it. The host fetches the number of runs, and waits. Two launches on CUDA, four elsewhere; each run is found by at most 32 reads.
///
/// Source: run-length encoding; reference.md §7.
pub fn run_length<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, DPull<(T, u32)>> {
    in_kernels_only()
}

/// The `total` runs that begin where `counts` ascends.
///
/// Source: run-length encoding; reference.md §7.
#[doc(hidden)]
pub fn runs_counted<T: Data, S: Size>(xs: Pull<T, S>, counts: Pull<u32, S>, total: u32) -> Program<Device, DPull<(T, u32)>> {
    in_kernels_only()
}

/// The elements that differ from the one before them, in their order: of equal neighbours the first. Cost: that of `filter`.
///
/// Source: reference.md §7.
pub fn unique<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, DPull<T>> {
    in_kernels_only()
}
