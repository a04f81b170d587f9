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

/// The elements for which `keep` holds, in their order, as an array of just their number, which the host fetches, and waits for. Four launches on CUDA, six elsewhere: the elements that stay are marked by bits, which are counted, and each block of the result finds its marks.
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

/// As `first_above`, where it is known between which places, of which the second is the answer too.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn first_above_between<S: Size>(ascending: Pull<u32, S>, between: (u32, u32), k: u32) -> Program<Thread, u32> {
    in_kernels_only()
}

/// The `total` elements that are marked. Each finds its source, so no two threads could write one place.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn marked<T: Data, S: Size>(xs: Pull<T, S>, words: DPull<u32>, counts: DPull<u32>, total: u32) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// The places below `n`, which is not 0, for which `keep` holds: as bits, 32 in a word, and how many they are up to each word and with it. Four words of a warp are read at a time.
///
/// Source: CUB (`DeviceSelect`); reference.md §7.
#[doc(hidden)]
pub fn marks(n: u32, keep: impl Fn(u32) -> bool) -> Program<Device, (DPull<u32>, DPull<u32>)> where for<'host> Host: OnlyInKernels {
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

/// The place of mark `k`, where there are more than `k`, in one of the words between two.
///
/// Source: Jacobson, Space-efficient static trees and graphs (1989), `select`.
#[doc(hidden)]
pub fn place_of_mark(words: DPull<u32>, counts: DPull<u32>, between: (u32, u32), k: u32) -> Program<Thread, u32> {
    in_kernels_only()
}

/// The places of `n` marks from mark `first` on, in the words between two. On a GPU each mark looks how many are before it where they lie close, else each place of the result finds its mark by halving.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn places_of_marks(words: DPull<u32>, counts: DPull<u32>, between: (u32, u32), first: u32, n: u32) -> Program<Block, DPull<u32>> {
    in_kernels_only()
}

/// Sorts by the lowest `bits` bits of a key, which are known while compiling: stable, bit after bit. Cost: a `partition` for each bit.
///
/// Source: reference.md §7.
pub fn radix_sort<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, bits: u32, key: impl Fn(T) -> u32) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// The runs of equal neighbours, in their order: the element of each, and how many there are of it. The host fetches the number of runs, and waits. Cost: that of `filter`.
///
/// Source: run-length encoding; reference.md §7.
pub fn run_length<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, DPull<(T, u32)>> {
    in_kernels_only()
}

/// The `total` runs that begin at the marks.
///
/// Source: run-length encoding; reference.md §7.
#[doc(hidden)]
pub fn runs_marked<T: Data, S: Size>(xs: Pull<T, S>, words: DPull<u32>, counts: DPull<u32>, total: u32) -> Program<Device, DPull<(T, u32)>> {
    in_kernels_only()
}

/// The elements that differ from the one before them, in their order: of equal neighbours the first. Cost: that of `filter`.
///
/// Source: reference.md §7.
pub fn unique<T: Num, S: Size>(xs: Pull<T, S>) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// The words of marks `first` and `last`, between which those of all between lie.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn words_of_marks(counts: DPull<u32>, first: u32, last: u32) -> Program<Block, (u32, u32)> {
    in_kernels_only()
}
