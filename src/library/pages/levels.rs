//! Joining levels with a function.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `f` of each element at its level, joined by a block.
///
/// Source: JFP 2016 §4.3.
pub fn as_block_map<L: AtMost<Block>, A, T: Data, S: Size, R: Size>(xs: Pull<A, S>, f: impl Fn(A) -> Push<L, T, R>) -> Push<Block, T, S> {
    in_kernels_only()
}

/// `f` of each element in a block of its own.
///
/// Source: JFP 2016 §4.3.
pub fn as_grid_map<A, T: Data, S: Size, R: Size>(xs: Pull<A, S>, f: impl Fn(A) -> Push<Block, T, R>) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// `f` of each element in a thread, joined one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn as_thread_map<A, T: Data, S: Size, R: Size>(xs: Pull<A, S>, f: impl Fn(A) -> Push<Thread, T, R>) -> Push<Thread, T, S> {
    in_kernels_only()
}

/// `f` of each element at its level, joined by a warp.
///
/// Source: JFP 2016 §4.3.
pub fn as_warp_map<L: AtMost<Warp>, A, T: Data, S: Size, R: Size>(xs: Pull<A, S>, f: impl Fn(A) -> Push<L, T, R>) -> Push<Warp, T, S> {
    in_kernels_only()
}
