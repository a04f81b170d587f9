//! Chains.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
use super::super::{in_kernels_only, types::*};

/// Tiles in a chain: `finish` gives the result of each tile from its prefix, and the results are joined in order. The prefix of tile `k` is `op(.. op(op(init, a0), a1) .., a)`, where `a0` up to `a` are what `total` gives of the tiles before `k`, always in this order: `op` need not associate, and floats have the same bits on every device. `total` gives with its tile's part of the fold what `finish` goes on with; both may be evaluated again, since they are functions of the tile. Three launches: what each tile gives, the prefixes by one block, and each tile again. Reads the tiles twice.
///
/// Source: JFP 2016 §6.4 (`sMapAccum`), over the blocks of a grid; reference.md §7.
pub fn chain<X, A: Data, P: Data, M, T: Data, S: Size>(tiles: Pull<X, S>, init: P, total: impl Fn(X) -> Program<Block, (A, M)>, op: impl Fn(P, A) -> P, finish: impl Fn(X, P, M) -> Program<Block, DPush<Block, T>>) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// The left folds from `init` of all beginnings but the whole, of a multiple of 16 elements.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn folds_before<A: Data, P: Data>(xs: Pull<A>, init: P, op: impl Fn(P, A) -> P) -> Push<Thread, P> {
    in_kernels_only()
}

/// The left folds from `init` of all beginnings but the whole, by one block. Cost: 256 elements are stored at a time; one thread folds them, 16 after 16, so that it waits for no more than every 16th read.
///
/// Source: reference.md §7.
pub fn prefixes<A: Data, P: Data, S: Size>(xs: Pull<A, S>, init: P, op: impl Fn(P, A) -> P) -> Push<Block, P, S> {
    in_kernels_only()
}
