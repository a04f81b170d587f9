//! Scans.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// What all elements of a whole tile give, in the order of `ends_in_tile`.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn end_of_tile<T: Data, S: Size>(tile: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Block, T> {
    in_kernels_only()
}

/// What all elements of a whole tile give, and what the scan of any tile goes on with: the elements, and what is up to the end of each thread's.
///
/// Source: JFP 2016 §6.3.
#[doc(hidden)]
pub fn ends_in_tile<T: Data, S: Size>(tile: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Block, (T, (DPull<T>, DPull<T>))> {
    in_kernels_only()
}

/// What each tile of 2048 elements gives.
///
/// Source: JFP 2016 §7.2.
pub fn ends_of_tiles<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// The elements of a tile, followed by as many others as make their number a power of two, which change nothing of what is before them.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn evened<T: Data, S: Size>(tile: Pull<T, S>) -> Pull<T> {
    in_kernels_only()
}

/// Where element `i` lies: the four chunks of four elements of each row of 16 are exchanged, so that the chunks that threads of neighbouring rows read at the same time lie in different banks. The element there lies at `i`.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn exchanged(i: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// What is before some elements, where the first part says whether there is nothing, with the first `n` of them, whose number is a multiple of 32: grouped as a tree, which `f` does not tell from the fold.
///
/// Source: JFP 2016 §6.2.
#[doc(hidden)]
pub fn fold_in_a_tree<T: Data>(xs: Pull<T>, n: u32, before: (bool, T), f: impl Fn(T, T) -> T) -> Program<Block, (bool, T)> {
    in_kernels_only()
}

/// Two values, each of which may be none, as one.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn join_some<T: Data>(a: (bool, T), b: (bool, T), f: impl Fn(T, T) -> T) -> (bool, T) {
    in_kernels_only()
}

/// How many neighbours a thread takes of so many elements, a power of two.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn neighbours_of_a_thread(n: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// Inclusive scan of any number of elements, at any level that can compute; `f` need only associate. Cost: ⌈log2 len⌉ phases, each of which stores the array. An array whose length only the launch knows, and which no bound limits, is scanned by tiles as it is pushed, and nothing else can be done with the result.
///
/// Source: JFP 2016 §6.3.2 (`scan_kogge_stone`), §6.4 (`sMapAccum`).
///
/// # Also
///
/// `scan<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Device, Pull<T, S>>`:
/// Inclusive scan of an array of any length: a chain of tiles, so one launch on CUDA, which reads `xs` once, and elsewhere three, which read it twice. Tiles have 8192 elements, fewer if an element has more than 32 bits. What is before a tile is folded tile after tile, and in a tile the length alone decides the order in which neighbours are combined; `f` need only associate, and where it does not the result is the one of this order. Prefixes of sums and the like of whole numbers, which no order changes, are combined as a tree. Source: JFP 2016 §7.2.
pub fn scan<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// Inclusive scan by a block as an expert would write it, of a multiple of 512 elements: a warp moves its 512 through a tile, so that each lane has 16 neighbours in registers, which it combines; the warp scans these sums, and each lane its own elements from the sum before them; what the warps before add to a warp's elements is added as they are written. `f` need only associate. Cost: `len` elements of shared memory, for the results lie where the elements lay; one barrier, 6 shuffles for each field of `T`; each element is read twice from shared memory, without conflicts; vector accesses throughout. On a processor each thread scans 16 neighbours in memory, which is faster there.
///
/// Source: CUB (`BlockScan`, `BlockLoad`); JFP 2016 §6.3.
pub fn scan_block<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// Inclusive scan of any length by Brent and Kung's network: sums of growing blocks on the way up, the missing sums on the way down; `f` need only associate. Cost: 2 ⌈log2 len⌉ - 1 phases, fewer applications of `f` than the other scans, each phase stores the array.
///
/// Source: Brent and Kung 1982; reference.md §5.
pub fn scan_brent_kung<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Inclusive scan, which is written as it goes: for arrays that are too long to be stored at the level, such as rows of a width that only the launch knows. A loop of the level scans tiles of 256 elements (32 at `Warp`) and carries what is before each. `f` need only associate; the association depends on the length alone. Cost: one tile is stored at a time.
///
/// Source: JFP 2016 §6.4 (`sMapAccum`).
pub fn scan_by_tiles<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T, S>> {
    in_kernels_only()
}

/// Exclusive scan at any level that can compute: element `i` is what `init` and the elements before `i` give, in this order. Cost: that of `scan`, of which it is one.
///
/// Source: Blelloch, Prefix sums and their applications (1990).
///
/// # Also
///
/// `scan_exclusive<T: Data, S: Size>(xs: Pull<T, S>, init: T, f: impl Fn(T, T) -> T) -> Program<Device, Pull<T, S>>`:
/// Exclusive scan: element `i` is what `init` and the elements before `i` give, in this order; `f` need only associate. Cost: that of `scan`, of which it is one. Source: Blelloch, Prefix sums and their applications (1990).
pub fn scan_exclusive<L: Compute, T: Data, S: Size>(xs: Pull<T, S>, init: T, f: impl Fn(T, T) -> T) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// The scan of a tile of `n` elements from `before`, where the first part says whether there is nothing, and what `ends_in_tile` has kept.
///
/// Source: JFP 2016 §6.3.
#[doc(hidden)]
pub fn scan_from<T: Data>(n: u32, before: (bool, T), kept: (DPull<T>, DPull<T>), f: impl Fn(T, T) -> T) -> Program<Block, DPull<T>> {
    in_kernels_only()
}

/// `scan_block` on a GPU.
///
/// Source: CUB (`BlockScan`).
#[doc(hidden)]
pub fn scan_in_lanes<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// `scan_block` on a processor: each thread adds up 16 neighbours, warps scan these sums, and each thread scans its neighbours from the sum before them.
///
/// Source: JFP 2016 §6.3.
#[doc(hidden)]
pub fn scan_in_threads<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    in_kernels_only()
}

/// Inclusive scan of any length: in phase `k` each element takes in the one `2^k` before it; `f` need only associate. Cost: ⌈log2 len⌉ phases, more work than Sklansky's.
///
/// Source: JFP 2016 §6.3.2.
pub fn scan_kogge_stone<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `scan_kogge_stone`, written as two loops: the first `2^k` elements are copied, the others combined, and no thread tests anything.
///
/// Source: JFP 2016 §6.3.2.
pub fn scan_kogge_stone_push<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Inclusive scan of any length by a warp in its lanes' registers, 32 elements after 32; `f` need only associate. Cost: at most 6 shuffles for each 32 elements and field of `T`; no shared memory, no barrier.
///
/// Source: reference.md §4.
pub fn scan_lanes<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Warp, Pull<T>> {
    in_kernels_only()
}

/// Inclusive scan of at most 32 elements by a warp in its lanes' registers; `f` need only associate. Cost: ⌈log2 len⌉ shuffles for each field of `T`; no shared memory, no barrier.
///
/// Source: JFP 2016 §6.3.2, with reference.md §4.
#[doc(hidden)]
pub fn scan_lanes_32<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Warp, Pull<T>> {
    in_kernels_only()
}

/// `g` of each element of a scan, which itself is not stored. Cost: that of `scan` at `Device`.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn scan_map<T: Data, U: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T, g: impl Fn(T) -> U) -> Program<Device, Pull<U, S>> {
    in_kernels_only()
}

/// Inclusive scan of `2^k` elements by recursive doubling of scanned blocks; `f` need only associate. Cost: k phases, each of which stores the array.
///
/// Source: ICCS 2010 §4.2; JFP 2016 §6.3.1.
pub fn scan_sklansky1<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `scan_sklansky1`, by half the threads: each writes two elements in a phase and tests nothing. The length is `2^k`. Cost: k phases; two arrays in shared memory.
///
/// Source: JFP 2016 §6.3.1.
pub fn scan_sklansky2<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// As `scan_sklansky2`, after each thread has loaded two elements half the array apart. Cost: k + 1 phases; two arrays in shared memory.
///
/// Source: JFP 2016 §6.3.1.
pub fn scan_sklansky3<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Inclusive scan of at most 2048 elements: each thread combines 8 neighbours, the block scans what they give, and each thread goes over its elements again from what is before them.
///
/// Source: JFP 2016 §6.3.
pub fn scan_tile<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Block, DPush<Block, T>> {
    in_kernels_only()
}

/// One phase of Sklansky's scan, written by half the threads without a conditional: in blocks of `2^(k + 1)` the lower half is copied, and each element of the upper half takes in the last one of the lower.
///
/// Source: JFP 2016 §6.3.1 (`phase`).
pub fn sklansky_phase<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32, f: impl Fn(T, T) -> T) -> Push<L, T> {
    in_kernels_only()
}

/// Each element for whose place `at` holds takes in the one `d` before it.
///
/// Source: Brent and Kung 1982.
pub fn take_in<T>(xs: Pull<T>, d: u32, at: impl Fn(u32) -> bool, f: impl Fn(T, T) -> T) -> Pull<T> {
    in_kernels_only()
}

/// How many elements a block scans: what its shared memory holds.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn tile_of_scan<T: Data, S: Size>(xs: Pull<T, S>) -> u32 {
    in_kernels_only()
}
