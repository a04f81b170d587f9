//! Networks.

// Rendered by obsidian-ir/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
use super::super::{in_kernels_only, types::*};

/// Sorts two ascending halves, the upper one read backwards, into one ascending array of `2^k` elements. Cost: k phases.
///
/// Source: DAMP 2012 §3.
pub fn bitonic_merge<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Neighbours at distance `2^k`: `f` of the two stays at the lower place, `g` at the upper. Cost: a conditional for each element.
///
/// Source: DAMP 2012 §3 (`ilv1`).
pub fn ilv<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// Sorts `2^k` elements, ascending: trees of merges, each a `vee` and then `ilv`s of falling distance. Cost: k (k + 1) / 2 phases.
///
/// Source: DAMP 2012 §3 (`tsort`).
pub fn sort_tree<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Mirror images within blocks of `2^(k + 1)`: `f` of the two stays at the lower place, `g` at the upper. Cost: a conditional for each element.
///
/// Source: DAMP 2012 §3 (`vee1`).
pub fn vee<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    in_kernels_only()
}
