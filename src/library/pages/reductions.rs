//! Reductions.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// Reduction of `2^k` elements, neighbours first; `f` need not commute. Cost: k phases, strided reads.
///
/// Source: JFP 2016 §6.2 (`red1`).
pub fn red1<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// Reduction of `2^k` elements by halves: `f` must commute. Cost: k phases, reads side by side.
///
/// Source: JFP 2016 §6.2 (`red2`).
pub fn red2<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// As `red2`, but the last `stop` elements are folded without storing: `f` must commute. Cost: k - log2 stop phases.
///
/// Source: JFP 2016 §6.2 (`red3`).
pub fn red3<L: Compute, T: Data>(xs: Pull<T>, stop: u32, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// Each thread folds 8 neighbours, then `red3`: `f` must commute.
///
/// Source: JFP 2016 §6.2 (`red4`).
pub fn red4<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// `red_coalesced` with 8 elements per thread.
///
/// Source: JFP 2016 §6.2.
pub fn red5<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// `red_coalesced` with 16 elements per thread.
///
/// Source: JFP 2016 §6.2.
pub fn red6<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// `red_coalesced` with 32 elements per thread.
///
/// Source: JFP 2016 §6.2.
pub fn red7<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// Each thread folds `per_thread` elements that lie a stride apart, so that neighbouring threads read neighbouring elements, then `red3`: `f` must commute.
///
/// Source: JFP 2016 §6.2 (`red5` with 8, `red6` with 16, `red7` with 32).
pub fn red_coalesced<T: Data>(xs: Pull<T>, per_thread: u32, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// Reduction of a non-empty array of any length, at any level that can compute; `f` need only associate. Where it is seen while compiling that there are at most 4096 elements, it is a tree in which neighbours are combined: ⌈log2 len⌉ phases. Of more, or of any other length, each of 256 threads (32 of a warp) folds a part of the elements, and a tree combines the parts: neighbours lie in neighbouring threads where `f` is seen to commute, else in one thread.
///
/// Source: JFP 2016 §3, §6.2.
///
/// # Also
///
/// `reduce<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Device, Pull<T>>`:
/// Reduction of a non-empty array of any length, in two launches: of tiles of 4096 elements, then of what they gave. Neighbours are combined in an order that the length alone decides, so `f` need not commute, only associate. Reads `xs` once. Source: reference.md §7.
pub fn reduce<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// Reduction by a block as an expert would write it, of a multiple of 512 elements: each thread folds 16, in fours that lie side by side, each warp combines its lanes' results, and one warp combines the warps'. `f` must commute. Cost: `len / 512` elements of shared memory, one barrier, 5 shuffles for each field of `T` and at most 5 more; vector loads where the elements lie in memory.
///
/// Source: Harris, Optimizing parallel reduction in CUDA; CUB (`BlockReduce`).
pub fn reduce_block<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// `reduce` of the first `n` elements, in the same order; `n` is at least 1.
///
/// Source: JFP 2016 §6.2.
#[doc(hidden)]
pub fn reduce_first<L: Compute, T: Data>(xs: Pull<T>, n: u32, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// `reduce` of an array whose length is known while compiling.
///
/// Source: JFP 2016 §6.2.
#[doc(hidden)]
pub fn reduce_known<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// Reduction by a warp in its lanes' registers, of any length: a lane folds the elements `i, i + 32 ..`, then neighbours are combined. `f` must commute where there are more than 32 elements. Cost: ⌈log2 len⌉ shuffles, at most 5, for each field of `T`; no shared memory, no barrier.
///
/// Source: reference.md §4.
pub fn reduce_lanes<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Warp, Push<Warp, T>> {
    in_kernels_only()
}

/// `reduce` of `n` elements, at least 1, by `w` threads that fold a part each.
///
/// Source: JFP 2016 §6.2 (`red4`, `red5`).
#[doc(hidden)]
pub fn reduce_parts<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, n: u32, w: u32, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// `reduce` of at most `256 * each` elements, at least one: each of 256 threads combines `each` neighbours, one after the other, then the block their results.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn reduce_runs<T: Data, S: Size>(xs: Pull<T, S>, each: u32, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// `reduce` of at most 4096 elements: each thread combines 16 neighbours, then the block their results.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn reduce_tile<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// The second launch of `reduce` at `Device`, which gives `none` where there are no tiles.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn reduce_tiles<T: Data, S: Size>(tiles: Pull<T, S>, none: T, f: impl Fn(T, T) -> T) -> Program<Device, Pull<T>> {
    in_kernels_only()
}

/// The first launch of `reduce` at `Device`: of each tile of 4096 elements what `f` makes of it.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn tiles_reduced<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Device, Pull<T, S>> {
    in_kernels_only()
}
