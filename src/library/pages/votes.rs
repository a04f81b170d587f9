//! Votes.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
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
