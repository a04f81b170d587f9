//! Networks.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `f` of each of `2^k` equal parts, the results joined. The part that an element lies in is found by a computed index, so `f` is evaluated for each element unless its result is stored. Cost: nothing is stored.
///
/// Source: JFP 2016 §6.3.1 (`unsafeBinSplit`).
///
/// # Also
///
/// `bin_split<L: Compute, A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(Pull<A, S>) -> Program<L, Pull<B, S>>) -> Program<L, Pull<B, S>>`:
/// `f`, a program, of each of `2^k` equal parts, the results joined. The parts go in step: a phase of `f` is one phase for all of them. Cost: that of `f` for the whole length, with the barriers of one part. Source: JFP 2016 §6.3.1; ICCS 2010 §4.1.
pub fn bin_split<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(Pull<A, S>) -> Pull<B, S>) -> Pull<B, S> {
    in_kernels_only()
}

/// All columns of `ilv` over `2^columns` elements, from the farthest to the nearest neighbours.
///
/// Source: DAMP 2012 §4.
#[doc(hidden)]
pub fn columns_from<T>(xs: Pull<T>, columns: u32, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Pull<T> {
    in_kernels_only()
}

/// Tiles of `r` rows by `c` columns, row by row, as one matrix of `columns` columns, stored row by row: a block for each tile. Undoes `split_2d`.
///
/// Source: FCL's library (`concatGrid`).
pub fn concat_2d_grid<T: Data, S: Size>(tiles: Pull<Push<Block, T>, S>, columns: u32, r: u32, c: u32) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// Two columns of `ilv` at once, `2^k` and `2^(k - 1)`, four elements for each thread; see `ilv_columns`.
///
/// Source: DAMP 2012 §4 (`iSwap2`).
pub fn i_swap2<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Push<L, T> {
    in_kernels_only()
}

/// Three columns of `ilv` at once, `2^k` to `2^(k - 2)`, eight elements for each thread; see `ilv_columns`.
///
/// Source: DAMP 2012 §4 (`iSwap3`).
pub fn i_swap3<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Push<L, T> {
    in_kernels_only()
}

/// `f` of the elements at even places and of those at odd ones, the results in turn. Cost: nothing is stored.
///
/// Source: ICCS 2010 §4.1 (`ilv`).
///
/// # Also
///
/// `ilv<L: Compute, A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(Pull<A, S>) -> Program<L, Pull<B, S>>) -> Program<L, Pull<B, S>>`:
/// `f`, a program, of the elements at even places and of those at odd ones, in step; the results in turn. Cost: that of `f` for the whole length, with the barriers of one part. Source: ICCS 2010 §4.1 (`ilv`).
///
/// `ilv<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S>`:
/// Neighbours at distance `2^k`: `f` of the two stays at the lower place, `g` at the upper. Cost: a thread and a conditional for each element. Source: DAMP 2012 §3 (`ilv1`).
pub fn ilv<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(Pull<A, S>) -> Pull<B, S>) -> Pull<B, S> {
    in_kernels_only()
}

/// Another name of `ilv`.
///
/// Source: DAMP 2012 §3.
pub fn ilv1<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// As `ilv`, written by half the threads, each two elements. Cost: no conditional; the length is known.
///
/// Source: DAMP 2012 §3 (`ilv2`).
pub fn ilv2<L: AtMost<Block>, A, B: Data>(xs: Pull<A>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Push<L, B> {
    in_kernels_only()
}

/// `columns` of `ilv` at once, those of `2^k`, `2^(k - 1)` and so on: a thread reads the `2^columns` elements that these bring together, at most 64, and writes them. Cost: one phase for all columns, no conditional; the length is known.
///
/// Source: DAMP 2012 §4 (`iSwap2`, `iSwap3`).
pub fn ilv_columns<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32, columns: u32, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Push<L, T> {
    in_kernels_only()
}

/// `2^k` interleaved sequences, in each the mirror images within blocks of `2^(j + 1)`: `f` of the two stays at the lower place, `g` at the upper. `ilv` is the case `j = 0`, `vee` the case `k = 0`. Cost: a thread and a conditional for each element.
///
/// Source: DAMP 2012 §3 (`ilvVee1`).
pub fn ilv_vee<A, B, S: Size>(xs: Pull<A, S>, k: u32, j: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// Another name of `ilv_vee`.
///
/// Source: DAMP 2012 §3.
pub fn ilv_vee1<A, B, S: Size>(xs: Pull<A, S>, k: u32, j: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// As `ilv_vee`, written by half the threads, each two elements. Cost: no conditional; the length is known.
///
/// Source: DAMP 2012 §3 (`ilvVee2`).
pub fn ilv_vee2<L: AtMost<Block>, A, B: Data>(xs: Pull<A>, k: u32, j: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Push<L, B> {
    in_kernels_only()
}

/// `f(0)` .. `f(n - 1)`, phase by phase: what each of them stores is stored for all `n` at once, one after the other in memory, and then one barrier serves them all. `n` is known; what differs from one to another chooses no branch and no number of rounds above `Thread`, and none of them reads what another stores.
///
/// Source: ICCS 2010 §4.1 (`two` of a program).
pub fn in_step<L: Compute, T, S: Size>(n: u32, f: impl Fn(u32) -> Program<L, Pull<T, S>>) -> Program<L, Pull<Pull<T, S>>> {
    in_kernels_only()
}

/// As `interleave_with`, one array after the other at the same level.
///
/// Source: FCL's library (`interleaveSeq`).
pub fn interleave_seq<L: AtMost<Block>, T: Data, S: Size>(xss: Pull<Push<L, T>, S>, place: impl Fn(u32, u32) -> u32) -> Push<L, T, S> {
    in_kernels_only()
}

/// Joins arrays of one level into one of the level above, in parallel: element `j` of array `i` is written at `place(i, j)`. Every place must be written once: the compiler tries them all, and in `unsafe { .. }` takes the author's word.
///
/// Source: FCL 2016 §3 (`interleave`).
pub fn interleave_with<L: AtMost<Block>, T: Data, S: Size>(xss: Pull<Push<L, T>, S>, place: impl Fn(u32, u32) -> u32) -> Push<Step<L>, T, S> {
    in_kernels_only()
}

/// `k` where `n` is `2^k`; an error while compiling if it is no power of two, or not known.
///
/// Source: reference.md §5: a length that does not fit is never dropped silently.
pub fn log2_exact(n: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// `f` of the pairs of neighbours, the results in turn. Cost: a conditional for each element.
///
/// Source: ICCS 2010 §4.1 (`evens`).
pub fn on_pairs<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(A, A) -> (B, B)) -> Pull<B, S> {
    in_kernels_only()
}

/// An array of `n * k` elements that `n` instances write, each `k` of them: instance `i` writes `f(i, j).0` at `f(i, j).1`, for `j` in `0 .. k`, without a test. Every place must be written once: the compiler tries them all, and in `unsafe { .. }` takes the author's word.
///
/// Source: JFP 2016 §6.3.1 (`mkPush` in `phase`); DAMP 2012 §2.
pub fn push_each<L: AtMost<Block>, T: Data>(n: u32, k: u32, f: impl Fn(u32, u32) -> (T, u32)) -> Push<L, T> {
    in_kernels_only()
}

/// `f` of each half, the results joined. Cost: nothing is stored.
///
/// Source: ICCS 2010 §4.1 (`two`).
///
/// # Also
///
/// `two<L: Compute, A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(Pull<A, S>) -> Program<L, Pull<B, S>>) -> Program<L, Pull<B, S>>`:
/// `f`, a program, of each half, in step; see `bin_split` of a program. Source: ICCS 2010 §4.1 (`two`).
pub fn two<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(Pull<A, S>) -> Pull<B, S>) -> Pull<B, S> {
    in_kernels_only()
}

/// Mirror images within blocks of `2^(k + 1)`: `f` of the two stays at the lower place, `g` at the upper. Cost: a thread and a conditional for each element.
///
/// Source: DAMP 2012 §3 (`vee1`).
pub fn vee<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// Another name of `vee`.
///
/// Source: DAMP 2012 §3.
pub fn vee1<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// As `vee`, written by half the threads, each two elements. Cost: no conditional; the length is known.
///
/// Source: DAMP 2012 §3 (`vee2`).
pub fn vee2<L: AtMost<Block>, A, B: Data>(xs: Pull<A>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Push<L, B> {
    in_kernels_only()
}
