//! Programs.

// Rendered by obsidian-ir/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity)]
use super::super::{in_kernels_only, types::*};

/// Joins arrays into one of a block: of threads and of warps in parallel, of blocks one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn as_block<L: AtMost<Block>, T: Data>(xss: Pull<Push<L, T>>) -> Push<Block, T> {
    in_kernels_only()
}

/// A grid: one virtual block for each array.
///
/// Source: JFP 2016 §4.3.
pub fn as_grid<T: Data, S: Size>(xss: Pull<Push<Block, T>, S>) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// Joins arrays of threads into one of a thread, one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn as_thread<T: Data, S: Size>(xss: Pull<Push<Thread, T>, S>) -> Push<Thread, T, S> {
    in_kernels_only()
}

/// Joins arrays into one of a warp: of threads in parallel, of warps one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn as_warp<L: AtMost<Warp>, T: Data>(xss: Pull<Push<L, T>>) -> Push<Warp, T> {
    in_kernels_only()
}

/// Stores the array: in shared memory at `Block` and `Warp`, in registers at `Thread`; the level's threads wait for one another where that is needed.
///
/// Source: JFP 2016 §5.1.
///
/// # Also
///
/// `compute<L: Compute, T: Data>(xs: Push<L, T>) -> Program<L, Pull<T>>`:
/// Stores the array; see `compute` of a pull array. Source: JFP 2016 §5.1.
pub fn compute<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Stores the array in the registers of the warp's lanes, element `i` in lane `i % 32`: no shared memory and no barrier. An element read at `i ± k`, `i ^ k` or `k` is one shuffle for each register that it may be in, and `xs[i]` is free. Means what `compute` means, and is that where the block has fewer than 32 threads, the array more than 512 elements, an element is not written by its own lane, or one is read inside a branch or loop at an index that is only known there.
///
/// Source: LANGUAGE.md §4.
///
/// # Also
///
/// `compute_lanes<T: Data>(xs: Push<Warp, T>) -> Program<Warp, Pull<T>>`:
/// Stores the array in the lanes' registers; see `compute_lanes` of a pull array. Source: LANGUAGE.md §4.
pub fn compute_lanes<T: Data>(xs: Pull<T>) -> Program<Warp, Pull<T>> {
    in_kernels_only()
}

/// Stores the array as `compute` does, with `k` unused elements after every `row`: element `i` is at `i + i / row * k`, and the result reads as if there were none. In a tile with rows of 32 elements of 4 bytes, `k = 1` puts a column's elements into different banks. Costs `k` elements of shared memory a row; at `Thread` nothing is left out.
///
/// Source: LANGUAGE.md §4.
///
/// # Also
///
/// `compute_padded<L: Compute, T: Data>(xs: Push<L, T>, row: u32, k: u32) -> Program<L, Pull<T>>`:
/// Stores the array with `k` unused elements after every `row`; see `compute_padded` of a pull array. Source: LANGUAGE.md §4.
///
/// `compute_padded<L: Compute, T: Data>(xs: Pull<T>, k: u32) -> Program<L, Pull<T>>`:
/// `compute_padded` with rows of 32 elements: as many as there are banks. Source: LANGUAGE.md §4.
///
/// `compute_padded<L: Compute, T: Data>(xs: Push<L, T>, k: u32) -> Program<L, Pull<T>>`:
/// `compute_padded` with rows of 32 elements: as many as there are banks. Source: LANGUAGE.md §4.
pub fn compute_padded<L: Compute, T: Data>(xs: Pull<T>, row: u32, k: u32) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Evaluates `e` at `L` when the array is written; a scalar or a tuple is an array of one.
///
/// Source: JFP 2016 §4.3.
///
/// # Also
///
/// `exec<L: AtMost<Block>, T: Data, S: Size>(e: Program<L, Pull<T, S>>) -> Push<L, T, S>`:
/// Evaluates `e` at `L` when the array is written. Source: JFP 2016 §4.3.
///
/// `exec<L: AtMost<Block>, T: Data, S: Size>(e: Program<L, Push<L, T, S>>) -> Push<L, T, S>`:
/// Evaluates `e` at `L` when the array is written. Source: JFP 2016 §4.3.
pub fn exec<L: AtMost<Block>, T: Data>(e: Program<L, T>) -> Push<L, T> {
    in_kernels_only()
}

/// Evaluates `e` in a block when the array is written; a scalar or a tuple is an array of one.
///
/// Source: JFP 2016 §4.3.
///
/// # Also
///
/// `exec_block<T: Data, S: Size>(e: Program<Block, Pull<T, S>>) -> Push<Block, T, S>`:
/// Evaluates `e` in a block when the array is written. Source: JFP 2016 §4.3.
///
/// `exec_block<T: Data, S: Size>(e: Program<Block, Push<Block, T, S>>) -> Push<Block, T, S>`:
/// Evaluates `e` in a block when the array is written. Source: JFP 2016 §4.3.
pub fn exec_block<T: Data>(e: Program<Block, T>) -> Push<Block, T> {
    in_kernels_only()
}

/// Evaluates `e` in a thread when the array is written; a scalar or a tuple is an array of one.
///
/// Source: JFP 2016 §4.3.
///
/// # Also
///
/// `exec_thread<T: Data, S: Size>(e: Program<Thread, Pull<T, S>>) -> Push<Thread, T, S>`:
/// Evaluates `e` in a thread when the array is written. Source: JFP 2016 §4.3.
///
/// `exec_thread<T: Data, S: Size>(e: Program<Thread, Push<Thread, T, S>>) -> Push<Thread, T, S>`:
/// Evaluates `e` in a thread when the array is written. Source: JFP 2016 §4.3.
pub fn exec_thread<T: Data>(e: Program<Thread, T>) -> Push<Thread, T> {
    in_kernels_only()
}

/// Evaluates `e` in a warp when the array is written; a scalar or a tuple is an array of one.
///
/// Source: JFP 2016 §4.3.
///
/// # Also
///
/// `exec_warp<T: Data, S: Size>(e: Program<Warp, Pull<T, S>>) -> Push<Warp, T, S>`:
/// Evaluates `e` in a warp when the array is written. Source: JFP 2016 §4.3.
///
/// `exec_warp<T: Data, S: Size>(e: Program<Warp, Push<Warp, T, S>>) -> Push<Warp, T, S>`:
/// Evaluates `e` in a warp when the array is written. Source: JFP 2016 §4.3.
pub fn exec_warp<T: Data>(e: Program<Warp, T>) -> Push<Warp, T> {
    in_kernels_only()
}

/// Another name of `compute`.
///
/// Source: FCL 2016; DAMP 2012.
///
/// # Also
///
/// `force<L: Compute, T: Data>(xs: Push<L, T>) -> Program<L, Pull<T>>`:
/// Another name of `compute`. Source: FCL 2016; DAMP 2012.
pub fn force<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Joins arrays of threads into one of level `L`, a thread for each.
///
/// Source: JFP 2016 §4.3.
pub fn lift_in<L: AtMost<Block>, T: Data>(xss: Pull<Push<Thread, T>>) -> Push<L, T> {
    in_kernels_only()
}

/// Joins arrays of one level into one of the level above, in parallel.
///
/// Source: JFP 2016 §4.3.
pub fn lift_par<L: AtMost<Block>, T: Data, S: Size>(xss: Pull<Push<L, T>, S>) -> Push<Step<L>, T, S> {
    in_kernels_only()
}

/// Joins arrays of one level into one of the same level, one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn lift_seq<L: AtMost<Block>, T: Data, S: Size>(xss: Pull<Push<L, T>, S>) -> Push<L, T, S> {
    in_kernels_only()
}

/// A loop in one thread: `acc = f(acc, i)` for `i` in `0 .. n`.
///
/// Source: JFP 2016 §5 (`seqIterate`).
pub fn seq_fold<A: Data>(n: u32, init: A, f: impl Fn(A, u32) -> Program<Thread, A>) -> Program<Thread, A> {
    in_kernels_only()
}

/// A loop in one thread: `s = next(s)` until `done(s)` holds.
///
/// Source: JFP 2016 §6.1 (`seqUntil`).
pub fn seq_until<A: Data>(init: A, done: impl Fn(A) -> Program<Thread, bool>, next: impl Fn(A) -> Program<Thread, A>) -> Program<Thread, A> {
    in_kernels_only()
}

/// A loop in one thread: `s = next(s)` while `test(s)` holds.
///
/// Source: JFP 2016 §6.1; FCL 2016 (`while`).
pub fn seq_while<A: Data>(init: A, test: impl Fn(A) -> Program<Thread, bool>, next: impl Fn(A) -> Program<Thread, A>) -> Program<Thread, A> {
    in_kernels_only()
}
