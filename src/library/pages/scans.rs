//! Scans.

// Rendered by obsidian-ir/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
use super::super::{in_kernels_only, types::*};

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
/// Source: LANGUAGE.md §4.
pub fn scan_lanes<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Warp, Pull<T>> {
    in_kernels_only()
}

/// Inclusive scan of at most 32 elements by a warp in its lanes' registers; `f` need only associate. Cost: ⌈log2 len⌉ shuffles for each field of `T`; no shared memory, no barrier.
///
/// Source: JFP 2016 §6.3.2, with LANGUAGE.md §4.
pub fn scan_lanes_32<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Warp, Pull<T>> {
    in_kernels_only()
}

/// Inclusive scan of `2^k` elements by recursive doubling of scanned blocks; `f` need only associate. Cost: k phases, each stores the array anew.
///
/// Source: ICCS 2010 §4.2; JFP 2016 §6.3.1.
pub fn scan_sklansky1<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    in_kernels_only()
}
