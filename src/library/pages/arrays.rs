//! Arrays.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `a + b`, where the sum must stay below 2^32: an error while compiling if both are known, else at launch.
///
/// Source: reference.md §5: nothing is dropped silently.
#[doc(hidden)]
pub fn add_exact(a: u32, b: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// One array after the other; a conditional for each element (see `append` of push arrays).
///
/// Source: DAMP 2012 §1.4.
///
/// # Also
///
/// `append<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, ys: Push<L, T, S>) -> Push<L, T, S>`:
/// One array after the other: two loops, no conditional. Source: DAMP 2012 §1.4; JFP 2016 §4.2.
pub fn append<T, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// `n`, which must not be above `len`: an error while compiling if both are known, else at launch.
///
/// Source: reference.md §5: nothing is dropped silently.
#[doc(hidden)]
pub fn at_most(n: u32, len: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// What stands where there is no element, of the type of those of `xs`: zeros and `false`.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn blank<T: Data, S: Size>(xs: Pull<T, S>) -> T {
    in_kernels_only()
}

/// The most that `n` can be, known while compiling. Of a chunk's length it is the length of a whole chunk or one less.
///
/// Source: reference.md §5.
pub fn bound(n: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// Chunks of `n` neighbouring elements; the last one has what is left, 1 to `n` elements. A grid over them compiles its body twice, for whole chunks and for the last one.
///
/// Source: reference.md §5.
pub fn chunks<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<DPull<T>, S> {
    in_kernels_only()
}

/// `len / n` arrays of `n` elements; element `j` of array `i` is `xs[i + (len / n) * j]`, so that neighbouring threads that walk one array each read neighbouring elements.
///
/// Source: JFP 2016 §6.2.
pub fn coalesce<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<Pull<T>, S> {
    in_kernels_only()
}

/// Whether it is seen while compiling that `f(a, b)` is `f(b, a)`, for what may be elements of `xs`.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn commutes<T, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> bool {
    in_kernels_only()
}

/// The elements of equally long arrays, one array after the other.
///
/// Source: JFP 2016 §4.3.
pub fn concat<T, S: Size, R: Size>(xss: Pull<Pull<T, R>, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// Whether it is seen while compiling that the length of `xs` alone decides `test(xs)`.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn decided<T, S: Size>(xs: Pull<T, S>, test: impl Fn(Pull<T, S>) -> bool) -> bool {
    in_kernels_only()
}

/// `n / parts`, where `parts` must divide `n`: an error while compiling if both are known, else at launch.
///
/// Source: reference.md §5: a length that does not divide is never dropped silently.
pub fn div_exact(n: u32, parts: u32) -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// All but the first `n` elements, `n` at most the length.
///
/// Source: JFP 2016 §4.1.
///
/// # Also
///
/// `drop<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, n: u32) -> Push<L, T, S>`:
/// All but the first `n` elements, `n` at most the length: those are not written. Source: reference.md §5.
pub fn drop<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T, S> {
    in_kernels_only()
}

/// The elements at even indices and those at odd ones; the length must be even.
///
/// Source: JFP 2016 §6.2.
pub fn even_odds<T, S: Size>(xs: Pull<T, S>) -> (Pull<T, S>, Pull<T, S>) {
    in_kernels_only()
}

/// The elements at even indices.
///
/// Source: Obsidian's library.
pub fn evens<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// The elements at `0, n, 2 n ..`, counted from `offset`.
///
/// Source: Obsidian's library (`everyNth`).
pub fn every_nth<T>(xs: Pull<T>, n: u32, offset: u32) -> Pull<T> {
    in_kernels_only()
}

/// The elements, then the first one again, up to the most elements that there may be: an array whose length is known. Where there is no element at all, zeros.
///
/// Source: reference.md §5.
pub fn fill_up<T: Data, S: Size>(xs: Pull<T, S>) -> Pull<T> {
    in_kernels_only()
}

/// The first element.
///
/// Source: JFP 2016.
///
/// # Also
///
/// `first<L: Compute, T: Data>(xs: Push<L, T>) -> Program<L, T>`:
/// The first element of what a level computes, for all of its threads. Cost: the array is stored. Source: reference.md §5.
pub fn first<T, S: Size>(xs: Pull<T, S>) -> T {
    in_kernels_only()
}

/// The same array with the known length `n`; checked at launch.
///
/// Source: JFP 2016 §4.1 (`fromDyn`).
///
/// # Also
///
/// `from_dyn<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, n: u32) -> Push<L, T>`:
/// The same array with the known length `n`; checked while compiling where it is known, else at launch. Source: JFP 2016 §4.1 (`fromDyn`).
pub fn from_dyn<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T> {
    in_kernels_only()
}

/// The array of `n` elements whose element `i` is `f(i)`; another name of `mk_pull`.
///
/// Source: FCL 2016.
pub fn generate<T, S: Size>(n: u32, f: impl Fn(u32) -> T) -> Pull<T, S> {
    in_kernels_only()
}

/// Element `i`, or `other` where there is none: for a place that may lie outside.
///
/// Source: reference.md §4.
pub fn get_or<T, S: Size>(xs: Pull<T, S>, i: u32, other: T) -> T {
    in_kernels_only()
}

/// The two halves of an array; the second has one element more where the length is odd.
///
/// Source: JFP 2016 §4.1.
pub fn halve<T, S: Size>(xs: Pull<T, S>) -> (Pull<T, S>, Pull<T, S>) {
    in_kernels_only()
}

/// The first element and the others.
///
/// Source: Obsidian's library.
pub fn head_tail<T, S: Size>(xs: Pull<T, S>) -> (T, Pull<T, S>) {
    in_kernels_only()
}

/// Elements of two arrays of one length in turn.
///
/// Source: DAMP 2012 §2.
pub fn interleave<T, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// `0, 1, .. n - 1`.
///
/// Source: FCL 2016.
pub fn iota<S: Size>(n: u32) -> Pull<u32, S> {
    in_kernels_only()
}

/// `n > 0`, which is known while compiling where `n` is a chunk's length.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn is_some_length(n: u32) -> bool where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// Element `i` is `xs[f(i)]`: a gather.
///
/// Source: JFP 2016 §4.1 (`ixMap`).
///
/// # Also
///
/// `ix_map<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, f: impl Fn(u32) -> u32) -> Push<L, T, S>`:
/// Element `i` is written at `f(i)`: a scatter. `f` must be a permutation of the indices; what the compiler cannot prove is refused, outside `unsafe`. Source: JFP 2016 §4.2 (`ixMap`).
pub fn ix_map<T, S: Size>(xs: Pull<T, S>, f: impl Fn(u32) -> u32) -> Pull<T, S> {
    in_kernels_only()
}

/// Whether the value is known while compiling.
///
/// Source: reference.md §5.
pub fn known(n: u32) -> bool where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// The last element.
///
/// Source: JFP 2016.
pub fn last<T, S: Size>(xs: Pull<T, S>) -> T {
    in_kernels_only()
}

/// The number of elements.
///
/// Source: JFP 2016 §4.1.
///
/// # Also
///
/// `len<L: Level, T, S: Size>(xs: Push<L, T, S>) -> u32`:
/// The number of elements. Source: JFP 2016 §4.2.
///
/// `len<T, S: Size>(m: Mut<T, S>) -> u32`:
/// The number of elements. Source: Obsidian's library (`Obsidian.Mutable`).
pub fn len<T, S: Size>(xs: Pull<T, S>) -> u32 {
    in_kernels_only()
}

/// `f` of each element.
///
/// Source: JFP 2016 §4.1.
///
/// # Also
///
/// `map<L: Level, A: Data, B: Data, S: Size>(xs: Push<L, A, S>, f: impl Fn(A) -> B) -> Push<L, B, S>`:
/// Applies `f` to each element as it is written. Source: JFP 2016 §4.2.
pub fn map<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(A) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// The array of `n` elements whose element `i` is `f(i)`. Nothing is stored.
///
/// Source: JFP 2016 §4.1 (`mkPull`); FCL 2016 (`generate`).
pub fn mk_pull<T, S: Size>(n: u32, f: impl Fn(u32) -> T) -> Pull<T, S> {
    in_kernels_only()
}

/// The same array, which must have an element: an error while compiling if its length is known, else at launch.
///
/// Source: reference.md §7.
pub fn non_empty<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// The elements at odd indices.
///
/// Source: Obsidian's library.
pub fn odds<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// The `n` elements of `xs` as an array that is not stored, since it may be too long for that: it can be pushed at level `L`, and nothing else.
///
/// Source: reference.md §5.
pub fn only_pushed<L: Level, T: Data, S: Size>(n: u32, xs: Push<L, T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// `n` elements: those of the array, then `fill`; `n` is not below the length.
///
/// Source: FCL's library (`pad`).
pub fn pad_to<T, S: Size, R: Size>(xs: Pull<T, R>, n: u32, fill: T) -> Pull<T, S> {
    in_kernels_only()
}

/// Neighbours as pairs; the length must be even.
///
/// Source: DAMP 2012 §2.
pub fn pair<T, S: Size>(xs: Pull<T, S>) -> Pull<(T, T), S> {
    in_kernels_only()
}

/// The same array.
///
/// Source: reference.md §5 (`push` of a push array).
///
/// # Also
///
/// `push<T: Data, S: Size, R: Size>(m: Pull<Pull<T, R>, S>) -> PushMat<Grid, T>`:
/// A grid that writes a matrix: a block for each row. Cost: a row much shorter than a block has threads leaves most of these without work. Source: reference.md §5.
///
/// `push<L: Level, T: Data, S: Size>(xs: Pull<T, S>) -> Push<L, T, S>`:
/// A loop at level `L` that writes element `i` at `i`. Nothing is stored. At `Grid` each block takes as many elements as fill two accesses of 16 bytes for each of its threads, and at least 4 for each; the array may have any length. Source: JFP 2016 §4.2.
///
/// `push<T: Data>(arrays: Pull<Mut<T>>) -> Push<Block, T>`:
/// All elements of arrays of one length, such as those that `regs` makes, array after array: thread `t` of as many as there are arrays writes those of `arrays[t]`. Source: reference.md §4.
pub fn push<L: AtMost<Block>, T: Data, S: Size>(xs: Push<L, T, S>) -> Push<L, T, S> {
    in_kernels_only()
}

/// Neighbours as quadruples; 4 must divide the length.
///
/// Source: Obsidian's library.
pub fn quadruple<T, S: Size>(xs: Pull<T, S>) -> Pull<(T, T, T, T), S> {
    in_kernels_only()
}

/// Whether it is seen while compiling that `f` gives the same bits for all ways to group elements of `xs`, and for all orders of them: sums and products of whole numbers, least and greatest ones, operations on bits.
///
/// Source: reference.md §5.
pub fn regroups<T, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> bool {
    in_kernels_only()
}

/// `n` times the same element.
///
/// Source: JFP 2016.
pub fn replicate<T, S: Size>(n: u32, x: T) -> Pull<T, S> {
    in_kernels_only()
}

/// The elements in the other order.
///
/// Source: JFP 2016 §4.1; FCL 2016 §3.
///
/// # Also
///
/// `reverse<L: Level, T: Data, S: Size>(xs: Push<L, T, S>) -> Push<L, T, S>`:
/// The elements in the other order: each is written at `len - 1 - i`. Source: DAMP 2012 §2; FCL 2016 §3.
pub fn reverse<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// Element `i` is element `i + n` of the array read as a ring.
///
/// Source: reference.md §5.
pub fn rotate<T>(xs: Pull<T>, n: u32) -> Pull<T> {
    in_kernels_only()
}

/// All but the first `n` elements; another name of `drop`.
///
/// Source: Obsidian's library (`shiftLeft`).
pub fn shift_left<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T, S> {
    in_kernels_only()
}

/// The elements `n` places later, the first `n` being `fill`; the length stays.
///
/// Source: reference.md §5.
pub fn shift_right<T, S: Size>(xs: Pull<T, S>, n: u32, fill: T) -> Pull<T, S> {
    in_kernels_only()
}

/// The array of one element.
///
/// Source: JFP 2016.
pub fn singleton<T>(x: T) -> Pull<T> where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// The first `n` elements and the others.
///
/// Source: JFP 2016 §4.1.
pub fn split_at<T, S: Size>(xs: Pull<T, S>, n: u32) -> (Pull<T, S>, Pull<T, S>) {
    in_kernels_only()
}

/// `parts` chunks of neighbouring elements; `parts` must divide the length.
///
/// Source: reference.md §5.
pub fn split_into<T>(xs: Pull<T>, parts: u32) -> Pull<Pull<T>> {
    in_kernels_only()
}

/// Chunks of `n` neighbouring elements; `n` must divide the length.
///
/// Source: JFP 2016 §4.1.
pub fn split_up<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<Pull<T>, S> {
    in_kernels_only()
}

/// Chunks of `n` neighbours; what the last one lacks is `fill`.
///
/// Source: FCL's library (`pad`).
pub fn split_up_padded<T, S: Size>(xs: Pull<T, S>, n: u32, fill: T) -> Pull<Pull<T>, S> {
    in_kernels_only()
}

/// Whether it is known while compiling that `n` is at most `most`.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn surely_at_most(n: u32, most: u32) -> bool where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// All but the first element.
///
/// Source: Obsidian's library.
pub fn tail<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// The first `n` elements, `n` at most the length.
///
/// Source: JFP 2016 §4.1.
///
/// # Also
///
/// `take<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, n: u32) -> Push<L, T, S>`:
/// The first `n` elements, `n` at most the length: the others are not written. Source: reference.md §5.
pub fn take<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T, S> {
    in_kernels_only()
}

/// The last `n` elements, `n` at most the length.
///
/// Source: Obsidian's library.
pub fn take_last<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T, S> {
    in_kernels_only()
}

/// The same array, its length no longer part of its type.
///
/// Source: JFP 2016 §4.1 (`toDyn`).
///
/// # Also
///
/// `to_dyn<L: Level, T: Data, S: Size>(xs: Push<L, T, S>) -> DPush<L, T>`:
/// The same array, its length no longer part of its type. Source: JFP 2016 §4.1 (`toDyn`).
pub fn to_dyn<T, S: Size>(xs: Pull<T, S>) -> DPull<T> {
    in_kernels_only()
}

/// Neighbours as triples; 3 must divide the length.
///
/// Source: Obsidian's library.
pub fn triple<T, S: Size>(xs: Pull<T, S>) -> Pull<(T, T, T), S> {
    in_kernels_only()
}

/// Pairs as neighbours; a conditional for each element.
///
/// Source: DAMP 2012 §2.
///
/// # Also
///
/// `unpair<L: Level, T: Data, S: Size>(xs: Push<L, (T, T), S>) -> Push<L, T, S>`:
/// Pairs as neighbours: whoever has a pair writes both, without a test. Source: DAMP 2012 §2 (`unpairP`).
pub fn unpair<T, S: Size>(xs: Pull<(T, T), S>) -> Pull<T, S> {
    in_kernels_only()
}

/// Quadruples as neighbours; conditionals for each element.
///
/// Source: Obsidian's library (`unquadruple`).
///
/// # Also
///
/// `unquadruple<L: Level, T: Data, S: Size>(xs: Push<L, (T, T, T, T), S>) -> Push<L, T, S>`:
/// Quadruples as neighbours: whoever has a quadruple writes all four. Source: Obsidian's library (`unquadruple`).
pub fn unquadruple<T, S: Size>(xs: Pull<(T, T, T, T), S>) -> Pull<T, S> {
    in_kernels_only()
}

/// Triples as neighbours; conditionals for each element.
///
/// Source: Obsidian's library (`untriple`).
///
/// # Also
///
/// `untriple<L: Level, T: Data, S: Size>(xs: Push<L, (T, T, T), S>) -> Push<L, T, S>`:
/// Triples as neighbours: whoever has a triple writes all three. Source: Obsidian's library (`untriple`).
pub fn untriple<T, S: Size>(xs: Pull<(T, T, T), S>) -> Pull<T, S> {
    in_kernels_only()
}

/// An array of pairs as a pair of arrays.
///
/// Source: JFP 2016 §4.1.
pub fn unzip<A, B, S: Size>(xs: Pull<(A, B), S>) -> (Pull<A, S>, Pull<B, S>) {
    in_kernels_only()
}

/// An array of triples as a triple of arrays.
///
/// Source: Obsidian's library.
pub fn unzip3<A, B, C, S: Size>(xs: Pull<(A, B, C), S>) -> (Pull<A, S>, Pull<B, S>, Pull<C, S>) {
    in_kernels_only()
}

/// Pairs of elements; the shorter length.
///
/// Source: JFP 2016 §4.1.
pub fn zip<A, B, S: Size>(xs: Pull<A, S>, ys: Pull<B, S>) -> Pull<(A, B), S> {
    in_kernels_only()
}

/// Triples of elements; the shortest length.
///
/// Source: Obsidian's library.
pub fn zip3<A, B, C, S: Size>(xs: Pull<A, S>, ys: Pull<B, S>, zs: Pull<C, S>) -> Pull<(A, B, C), S> {
    in_kernels_only()
}

/// `f` of elements at the same index; the shorter length.
///
/// Source: JFP 2016 §4.1.
pub fn zip_with<A, B, C, S: Size>(xs: Pull<A, S>, ys: Pull<B, S>, f: impl Fn(A, B) -> C) -> Pull<C, S> {
    in_kernels_only()
}

/// `f` of elements at the same index; the shortest length.
///
/// Source: Obsidian's library.
pub fn zip_with3<A, B, C, D, S: Size>(xs: Pull<A, S>, ys: Pull<B, S>, zs: Pull<C, S>, f: impl Fn(A, B, C) -> D) -> Pull<D, S> {
    in_kernels_only()
}
