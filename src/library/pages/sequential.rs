//! Sequential and unrolled folds.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// Left fold of a non-empty array, unrolled.
///
/// Source: Obsidian's library (`fold1`).
pub fn fold1<T>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> T {
    in_kernels_only()
}

/// Left fold from `init`, a loop in one thread; the array may be empty.
///
/// Source: FCL 2016 (`foldl`).
///
/// # Also
///
/// `foldl<T, A: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> A) -> A`:
/// Left fold from `init` in a closure that gives an element, a loop of the thread that computes it; the array may be empty. Of at most 32 elements, if that is known while compiling, unrolled. Source: FCL 2016 (`foldl`).
pub fn foldl<T, A: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> A) -> Program<Thread, A> {
    in_kernels_only()
}

/// What round `k` of a loop in two buffers reads.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn half_of<T>(m: Mut<T>, k: u32) -> Pull<T> {
    in_kernels_only()
}

/// A loop in one thread that carries a value from the first element to the last: `f` gives the next value and an element of the result.
///
/// Source: Obsidian's library (`mapAccumL`).
pub fn map_accum_l<T, A: Data, B: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> Program<Thread, (A, B)>) -> Push<Thread, B, S> {
    in_kernels_only()
}

/// As `map_accum_l`, from the last element to the first.
///
/// Source: Obsidian's library (`mapAccumR`).
pub fn map_accum_r<T, A: Data, B: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> Program<Thread, (A, B)>) -> Push<Thread, B, S> {
    in_kernels_only()
}

/// A loop of the whole level over an array: round `k` makes the next array, of the same length, of `k` and the last one. Two buffers serve all rounds; their number may be known at launch only.
///
/// Source: FCL 2016 (`power`).
pub fn power<L: Compute, T: Data>(xs: Pull<T>, n: u32, step: impl Fn(u32, Pull<T>) -> Program<L, Push<L, T>>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// `f` of `f` of .. `x`, `n` times, unrolled while compiling.
///
/// Source: Obsidian's library (`rep`).
pub fn rep<L: Level, A>(n: u32, f: impl Fn(A) -> Program<L, A>, x: A) -> Program<L, A> {
    in_kernels_only()
}

/// The left folds of all beginnings, the empty one first: one element more than the array has.
///
/// Source: FCL's library (`scanl`).
pub fn scanl<T, A: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> A) -> Push<Thread, A, S> {
    in_kernels_only()
}

/// A loop in one thread: `acc = f(i, acc)` for `i` in `0 .. n`.
///
/// Source: Obsidian's library (`seqIterate`).
pub fn seq_iterate<A: Data>(n: u32, init: A, f: impl Fn(u32, A) -> Program<Thread, A>) -> Program<Thread, A> {
    in_kernels_only()
}

/// `f` of each element, written by a loop in one thread.
///
/// Source: Obsidian's library (`seqMap`).
pub fn seq_map<A, B: Data, S: Size>(xs: Pull<A, S>, f: impl Fn(A) -> B) -> Push<Thread, B, S> {
    in_kernels_only()
}

/// Left fold of a non-empty array, a loop in one thread.
///
/// Source: JFP 2016 §6.2 (`seqReduce`).
pub fn seq_reduce<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Thread, T> {
    in_kernels_only()
}

/// The left folds of all beginnings of a non-empty array, by a loop in one thread.
///
/// Source: Obsidian's library (`seqScan`).
pub fn seq_scan<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Push<Thread, T, S> {
    in_kernels_only()
}

/// The left folds of all beginnings but the empty one, from `init`, by a loop in one thread.
///
/// Source: Obsidian's library (`seqScanCin`).
pub fn seq_scan_cin<T, A: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> A) -> Push<Thread, A, S> {
    in_kernels_only()
}

/// Memory for two arrays of that length, the first being `xs`: what `power` and `while_` work in.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn two_buffers<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Mut<T>> {
    in_kernels_only()
}

/// A loop of the whole level over an array, as long as `test` holds: `step` makes the next array. Where the length of the array alone decides the test, the rounds are written out, and the array may shrink: `while_(xs, |a| a.len() > 1, |a| ..)`. Else all rounds have the same length, and two buffers serve them.
///
/// Source: FCL 2016 §3 (`while`).
pub fn while_<L: Compute, T: Data>(xs: Pull<T>, test: impl Fn(Pull<T>) -> bool, step: impl Fn(Pull<T>) -> Program<L, Push<L, T>>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// `while_` whose test the length decides.
///
/// Source: FCL 2016 §3 (`while`).
pub fn while_it_shrinks<L: Compute, T: Data>(xs: Pull<T>, test: impl Fn(Pull<T>) -> bool, step: impl Fn(Pull<T>) -> Program<L, Push<L, T>>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// `while_` in two buffers.
///
/// Source: FCL 2016 (`while`).
pub fn while_of_one_length<L: Compute, T: Data>(xs: Pull<T>, test: impl Fn(Pull<T>) -> bool, step: impl Fn(Pull<T>) -> Program<L, Push<L, T>>) -> Program<L, Pull<T>> {
    in_kernels_only()
}
