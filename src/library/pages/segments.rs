//! Segments.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `f` of neighbours that say whether a segment begins with them. It associates if `f` does.
///
/// Source: Blelloch, Prefix sums and their applications (1990).
pub fn in_segments<T>(a: (T, bool), b: (T, bool), f: impl Fn(T, T) -> T) -> (T, bool) where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// Reduction from `init` of the elements from a place up to another, which is not part of them.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn reduce_from_to<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, bounds: (u32, u32), init: T, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// As `segmented_scan`, of runs of equal neighbours among `keys`, one key for each element. Cost: that of `segmented_scan`.
///
/// Source: reference.md §7.
pub fn scan_by_key<K: Num, T: Data, S: Size>(keys: Pull<K, S>, xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Device, Pull<T, S>> {
    in_kernels_only()
}

/// Reduction of each segment of an array, from `init`: segment `s` are the elements from `offsets[s]` up to `offsets[s + 1]`, which is not part of it. A segment without elements gives `init`; segments may overlap, leave gaps, and stand in any order. One launch that reads each element once: a warp for each segment, or a block where they have 1024 elements on the average. The lengths of the arrays and of a segment alone decide the order in which neighbours are combined. An offset past the end is an error at the end of the launch.
///
/// Source: NESL (Blelloch, 1993); CSR matrices.
pub fn segmented_reduce<T: Data, S: Size, R: Size>(xs: Pull<T, S>, offsets: Pull<u32, R>, init: T, f: impl Fn(T, T) -> T) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// Inclusive scan of each segment of an array at any level that can compute: a segment begins where `starts` holds, and the first one at the first element. Cost: that of `scan` of pairs.
///
/// Source: Blelloch, Prefix sums and their applications (1990).
///
/// # Also
///
/// `segmented_scan<T: Data, S: Size>(xs: Pull<T, S>, starts: Pull<bool, S>, f: impl Fn(T, T) -> T) -> Program<Device, Pull<T, S>>`:
/// Inclusive scan of each segment of an array: a segment begins where `starts` holds, and the first one at the first element. `f` need only associate. Cost: that of `scan` at `Device`, with a flag beside each tile's result; what is stored are the elements alone. Source: Blelloch, Prefix sums and their applications (1990).
pub fn segmented_scan<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, starts: Pull<bool, S>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// Is the element the first one, or another one than its left neighbour?
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn starts_run<T: Num, S: Size>(xs: Pull<T, S>, i: u32) -> bool {
    in_kernels_only()
}
