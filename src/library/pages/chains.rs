//! Chains.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// Tiles in a chain: `finish` gives the result of each tile from its prefix, and the results are joined in order. The prefix of tile `k` is `op(.. op(op(init, a0), a1) .., a)`, where `a0` up to `a` are what `total` gives of the tiles before `k`, always in this order: `op` need not associate, and floats have the same bits on every device. `total` gives with its tile's part of the fold what `finish` goes on with; both may be evaluated again, since they are functions of the tile. On CUDA one launch, which reads the tiles once; elsewhere three: what each tile gives, the prefixes by one block, and each tile again.
///
/// Source: JFP 2016 §6.4 (`sMapAccum`), over the blocks of a grid; reference.md §7.
pub fn chain<X, A: Data, P: Data, M, T: Data, S: Size>(tiles: Pull<X, S>, init: P, total: impl Fn(X) -> Program<Block, (A, M)>, op: impl Fn(P, A) -> P, finish: impl Fn(X, P, M) -> Program<Block, DPush<Block, T>>) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// Asks the host how a chain of tiles is gone through: whether in one pass, the epoch of the launch, how often a block looks for what is not there, and cells, `each` for a tile where it is one pass and none elsewhere. No cell has the epoch in its upper half.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn chain_cells<R: Size>(tiles: u32, each: u32) -> Program<Device, (bool, u32, u32, Mut<u64, R>)> {
    in_kernels_only()
}

/// A chain of tiles in three launches.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn chain_in_launches<X, A: Data, P: Data, M, T: Data, S: Size>(tiles: Pull<X, S>, init: P, alone: impl Fn(X) -> Program<Block, A>, total: impl Fn(X) -> Program<Block, (A, M)>, op: impl Fn(P, A) -> P, finish: impl Fn(X, P, M) -> Program<Block, DPush<Block, T>>) -> Program<Device, Pull<T, S>> {
    in_kernels_only()
}

/// A chain of tiles in one pass. The block of a tile writes what the tile gives into the tile's cells, finds its prefix, writes what is after the tile beside it, and finishes the tile. A word is the bits of half a number or a whole one below the epoch of the launch, so each tells for itself that it is there, in whatever order words are seen; and all who write a word write the same.
///
/// Source: Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back (2016); Smith, Levien and Owens, Decoupled fallback (SPAA 2025).
#[doc(hidden)]
pub fn chain_in_one_pass<X, A: Data, P: Data, M, T: Data, S: Size, R: Size>(tiles: Pull<X, S>, init: P, alone: impl Fn(X) -> Program<Block, A>, total: impl Fn(X) -> Program<Block, (A, M)>, op: impl Fn(P, A) -> P, folded: impl Fn(Pull<A>, u32, P) -> Program<Block, P>, finish: impl Fn(X, P, M) -> Program<Block, DPush<Block, T>>, cells: Mut<u64, R>, told: (u32, u32)) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// `chain`, where `alone` gives the same of a tile for the fold as `total` does, to the bit, and is evaluated where nothing else of the tile is asked for; `folded` gives the left fold by `op` of the first `n` of what some tiles give, to the bit.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn chain_of<X, A: Data, P: Data, M, T: Data, S: Size>(tiles: Pull<X, S>, init: P, alone: impl Fn(X) -> Program<Block, A>, total: impl Fn(X) -> Program<Block, (A, M)>, op: impl Fn(P, A) -> P, folded: impl Fn(Pull<A>, u32, P) -> Program<Block, P>, finish: impl Fn(X, P, M) -> Program<Block, DPush<Block, T>>) -> Program<Device, Pull<T, S>> {
    in_kernels_only()
}

/// The left fold from `init` of the first `some` elements of a multiple of 16, by one thread, which reads 16 before it waits for the first.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn fold_first<A: Data, P: Data>(xs: Pull<A>, some: u32, init: P, op: impl Fn(P, A) -> P) -> Program<Block, P> {
    in_kernels_only()
}

/// The left folds from `init` of all beginnings but the whole, of a multiple of 16 elements.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn folds_before<A: Data, P: Data>(xs: Pull<A>, init: P, op: impl Fn(P, A) -> P) -> Push<Thread, P> {
    in_kernels_only()
}

/// The first place of which something holds, or their number, a multiple of 32.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn nearest(holds: Pull<bool>) -> Program<Block, u32> {
    in_kernels_only()
}

/// The first place of which the one holds and the first of which the other does, or their number, a multiple of 32.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn nearest_of_both(holds: Pull<(bool, bool)>) -> Program<Block, (u32, u32)> {
    in_kernels_only()
}

/// The value whose `to_words` these are, of the form of `like`, which is not evaluated.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn of_words<T: Data>(like: T, words: Pull<u32>) -> T {
    in_kernels_only()
}

/// The prefix of tile `k`, from the nearest prefix before it that is written and what the tiles between give. It waits for no one: what is not there after `patience` looks it computes itself. `forms` are `init` and the tile's own part.
///
/// Source: as of `chain_in_one_pass`.
#[doc(hidden)]
pub fn prefix_of<X, A: Data, P: Data, S: Size, R: Size>(tiles: Pull<X, S>, k: u32, forms: (P, A), alone: impl Fn(X) -> Program<Block, A>, op: impl Fn(P, A) -> P, folded: impl Fn(Pull<A>, u32, P) -> Program<Block, P>, cells: Mut<u64, R>, told: (u32, u32)) -> Program<Block, P> {
    in_kernels_only()
}

/// The left folds from `init` of all beginnings but the whole, by one block. Cost: 256 elements are stored at a time; one thread folds them, 16 after 16, so that it waits for no more than every 16th read.
///
/// Source: reference.md §7.
pub fn prefixes<A: Data, P: Data, S: Size>(xs: Pull<A, S>, init: P, op: impl Fn(P, A) -> P) -> Push<Block, P, S> {
    in_kernels_only()
}

/// Whether a value of the form of `like` is in cells from a place on, and the value.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn read_cells<T: Data, R: Size>(cells: Mut<u64, R>, first: u32, like: T, epoch: u32) -> Program<Thread, (bool, T)> {
    in_kernels_only()
}

/// The bits of a value as words of 32 bits: two for a number of 64 bits, else one for each number.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn to_words<T: Data>(x: T) -> Pull<u32> {
    in_kernels_only()
}

/// What `total` gives of a tile for the fold.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn total_alone<X, A: Data, M>(tile: X, total: impl Fn(X) -> Program<Block, (A, M)>) -> Program<Block, A> {
    in_kernels_only()
}

/// Element `k` of an array, below `whole_tiles(tiles)`: of chunks one that is whole, and whose length is known so.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn whole_tile<X, S: Size>(tiles: Pull<X, S>, k: u32) -> X {
    in_kernels_only()
}

/// Of chunks the number of those that are whole; of other arrays their number.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn whole_tiles<X, S: Size>(tiles: Pull<X, S>) -> u32 {
    in_kernels_only()
}

/// How many words of 32 bits the first part of what `total` gives of a tile has, known while compiling.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn words_of_total<X, A: Data, M, S: Size>(tiles: Pull<X, S>, total: impl Fn(X) -> Program<Block, (A, M)>) -> Program<Device, u32> {
    in_kernels_only()
}

/// Writes a value into cells from a place on.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn write_cells<T: Data, R: Size>(cells: Mut<u64, R>, first: u32, x: T, epoch: u32) -> Program<Block, ()> {
    in_kernels_only()
}
