//! Digits.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// Digit `r` of a key, from the lowest on: an order of digits is that of the keys. Of a float that is below zero all bits are flipped, else, and of a signed number, the sign.
///
/// Source: Herf, Radix tricks (2001).
#[doc(hidden)]
pub fn digit_of_a_key<K: Num>(key: K, r: u32) -> u32 {
    in_kernels_only()
}

/// How many digits of 8 bits a key of this form has.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn digits_of_a_key<K: Num>(like: K) -> u32 {
    in_kernels_only()
}

/// Of each digit in each tile, where its elements end among those of all: a block for each digit, whose elements begin where those of lower digits end.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn ends_of_digits<S: Size>(firsts: Pull<u32, S>, n: u32, tile: u32) -> Push<Grid, u32, S> {
    in_kernels_only()
}

/// How many elements of each tile have a digit `r` below `d`, at `d * tiles + t`: tiles are sorted by it.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn firsts_of_digits<T: Data, K: Num, S: Size>(xs: Pull<T, S>, tile: u32, r: u32, key: impl Fn(T) -> K) -> Push<Grid, u32, S> {
    in_kernels_only()
}

/// Of a type of numbers: whether they are floats, whether they have signs, and the highest bit of the highest word.
///
/// Source: IEEE 754.
#[doc(hidden)]
pub fn form_of_a_key<K: Num>(_like: K) -> (bool, bool, u32) {
    in_kernels_only()
}

/// The elements of a tile from place `first` on among all that are sorted by a digit. Each of 128 threads finds by halving where the first of a strip comes from, and those after it lie beside it, or in the next tile.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn gathered<T: Data, S: Size, R: Size>(xs: Pull<T, S>, tile: u32, firsts: Pull<u32, R>, ends: Pull<u32, R>, first: u32) -> Program<Block, Pull<T>> {
    in_kernels_only()
}

/// The places of digits below 256 in the order of these, equal ones in theirs, two in a word. Each of 32 threads counts the digits of a strip, in counters of its own, half a word each, and what is before these are the places of its own.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn order_by_digit(order: Mut<u32>, digits: Pull<u32>) -> Program<Block, ()> {
    in_kernels_only()
}

/// `sort_by_key` of elements of at most 96 bits.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn sort_by_digits<T: Data, K: Num, S: Size>(xs: Pull<T, S>, key: impl Fn(T) -> K) -> Program<Device, Pull<T, S>> {
    in_kernels_only()
}

/// Sorts an array of any length by a key, ascending; elements of one key stay in their order. Floats: without NaN. Digits of 8 bits of the keys, from the lowest on: blocks sort tiles of 3840 elements by a digit, of 2048 or 1536 if an element has more than 32 bits. Then each digit takes three launches: where digits begin in tiles, where those of each tile go, and the next tiles, whose elements find where they come from and are sorted by the next digit at once. One tile is one launch. Reads and writes the elements once for each digit, and once more, in two buffers. Elements of more than 96 bits are sorted as keys with places, and fetched at the end.
///
/// Source: Merrill and Grimshaw, High performance and scalable radix sorting (2011).
pub fn sort_by_key<T: Data, K: Num, S: Size>(xs: Pull<T, S>, key: impl Fn(T) -> K) -> Program<Device, Pull<T, S>> {
    in_kernels_only()
}

/// Tiles of `tile` elements, each sorted by some of the digits, which are those from the first of `digits` on, as many as the second. `start` gives the elements of the tile from a place on.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn sort_tiles<T: Data, K: Num, S: Size>(n: u32, tile: u32, digits: (u32, u32), start: impl Fn(u32) -> Program<Block, Pull<T>>, key: impl Fn(T) -> K) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// The sums of what is before each of 256 numbers: a loop of 8 rounds, so that the code is short.
///
/// Source: JFP 2016 §6.3.2.
#[doc(hidden)]
pub fn sums_before(xs: Pull<u32>) -> Program<Block, Pull<u32>> {
    in_kernels_only()
}

/// How many elements a block sorts by a digit: what its shared memory holds.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn tile_of_digits<T: Data, S: Size>(xs: Pull<T, S>) -> u32 {
    in_kernels_only()
}
