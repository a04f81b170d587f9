//! Votes.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// Whether all of at most 32 flags hold, known to the whole warp. Cost: as of `ballot`.
///
/// Source: PTX ISA, `vote.sync`; reference.md §4.
pub fn all(flags: Pull<bool>) -> Program<Warp, bool> {
    in_kernels_only()
}

/// Whether one of at most 32 flags holds, known to the whole warp. Cost: as of `ballot`.
///
/// Source: PTX ISA, `vote.sync`; reference.md §4.
pub fn any(flags: Pull<bool>) -> Program<Warp, bool> {
    in_kernels_only()
}

/// The flags of at most 32 elements as bits, element `i` as bit `i`, known to the whole warp. Cost: `vote.ballot` on a GPU; without lanes the flags are stored and read by each.
///
/// Source: PTX ISA, `vote.sync`; reference.md §4.
pub fn ballot(flags: Pull<bool>) -> Program<Warp, u32> {
    in_kernels_only()
}

/// Stores the array in the lanes' registers, `k` neighbours in each: element `i` in lane `i / k % 32`. `32 * k` must divide the length. Cost: as of `compute_lanes(xs)`; a lane reads its own neighbours, as `runs(k)` does, without a shuffle.
///
/// Source: CUB (blocked arrangement); reference.md §4.
///
/// # Also
///
/// `compute_lanes<T: Data>(xs: Pull<T>, k: u32) -> Program<Warp, Pull<T>>`:
/// Stores the array in the lanes' registers, `k` neighbours in each, which that lane computes; see `compute_lanes` of a push array. Source: CUB (blocked arrangement); reference.md §4.
///
/// `compute_lanes<T: Data>(xs: Pull<T>) -> Program<Warp, Pull<T>>`:
/// Stores the array in the registers of the warp's lanes, element `i` in lane `i % 32`: no shared memory and no barrier. An element read at `i ± k`, `i ^ k` or `k` is one shuffle for each register that it may be in, and `xs[i]` is free. Means what `compute` means, and is that where the block has fewer than 32 threads, the array more than 512 elements, an element is not written by its own lane, or one is read inside a branch or loop at an index that is only known there. Source: reference.md §4.
///
/// `compute_lanes<T: Data>(xs: Push<Warp, T>) -> Program<Warp, Pull<T>>`:
/// Stores the array in the lanes' registers; see `compute_lanes` of a pull array. Source: reference.md §4.
pub fn compute_lanes<T: Data>(xs: Push<Warp, T>, k: u32) -> Program<Warp, Pull<T>> {
    in_kernels_only()
}

/// Where element `i` lies if `k` neighbours are 32 places from one another, so that they are of one lane.
///
/// Source: CUB (blocked arrangement).
#[doc(hidden)]
pub fn lane_by_lane(i: u32, k: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// The bits below bit `i`, which is below 32: `ballot(flags) & lane_mask_lt(i)` are the flags before element `i`.
///
/// Source: PTX ISA, `%lanemask_lt`; reference.md §4.
pub fn lane_mask_lt(i: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// For each of at most 32 keys, which of them equal it: key `k` as bit `k`. Cost: `match.any` on a GPU; without lanes each key is compared with all.
///
/// Source: PTX ISA, `match.sync`; reference.md §4.
pub fn match_any<T: Int>(keys: Pull<T>) -> Program<Warp, Pull<u32>> {
    in_kernels_only()
}

/// For each of 32 keys, which of them equal it in their lowest bits: key `k` as bit `k`. Cost: a `ballot` for each bit, which is less than `match_any` takes where most keys differ.
///
/// Source: CUB (`MatchAny`).
#[doc(hidden)]
pub fn match_bits(keys: Pull<u32>, bits: u32) -> Program<Warp, Pull<u32>> {
    in_kernels_only()
}
