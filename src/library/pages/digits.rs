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

/// Of a type of numbers: whether they are floats, whether they have signs, and the highest bit of the highest word.
///
/// Source: IEEE 754.
#[doc(hidden)]
pub fn form_of_a_key<K: Num>(_like: K) -> (bool, bool, u32) {
    in_kernels_only()
}

/// The elements of tile `b` among all that are sorted by a digit. `told` are where digits begin in tiles, where those of each tile end among all, and of each tile the cells of its first and its last place. A thread finds by halving where the first of a strip comes from, and those after it lie beside it, or in the next tile. A processor does the whole tile as one strip.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn gathered<T: Data, S: Size, A: Size, B: Size, C: Size>(xs: Pull<T, S>, tile: u32, told: (Pull<u32, A>, Pull<u32, B>, Pull<u32, C>), b: u32) -> Program<Block, Pull<T>> {
    in_kernels_only()
}

/// The places of digits below 256 in the order of these, equal ones in theirs; `below` becomes how many are below each digit. The digits are ranked in 8 parts.
///
/// Source: CUB (`BlockRadixRankMatch`).
#[doc(hidden)]
pub fn places_by_digit(digits: Pull<u32>, below: Mut<u32>) -> Program<Block, Pull<u32>> {
    in_kernels_only()
}

/// How many digits of its part of them are before each that are its equal; at `w * 256 + d`, `counts` becomes how many of part `w` are `d`. Each part is a warp's, which goes over it 32 at a time: how many of the 32 have the digit of one and are before it, and how many of its part have been there before them.
///
/// Source: as of `places_by_digit`.
#[doc(hidden)]
pub fn ranks_by_votes(digits: Pull<u32>, counts: Mut<u32>, parts: u32) -> Push<Block, u16> {
    in_kernels_only()
}

/// As `ranks_by_votes`, where a part is a thread's, which goes over it one by one: what a processor does fastest.
///
/// Source: as of `places_by_digit`.
#[doc(hidden)]
pub fn ranks_in_turn(digits: Pull<u32>, counts: Mut<u32>, parts: u32) -> Push<Block, u16> {
    in_kernels_only()
}

/// `sort_by_key` of elements of at most 96 bits in a block, followed by what makes their number a multiple of 256.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn sort_all_held<T: Data, K: Num, S: Size>(xs: Pull<T, S>, key: impl Fn(T) -> K) -> Program<Block, Pull<T>> {
    in_kernels_only()
}

/// `sort_by_key` of elements of at most 96 bits.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn sort_by_digits<T: Data, K: Num, S: Size>(xs: Pull<T, S>, key: impl Fn(T) -> K) -> Program<Device, Pull<T, S>> {
    in_kernels_only()
}

/// Sorts at most 3072 elements in a block by a key, ascending; elements of one key stay in their order. Floats: without NaN. Digits of 8 bits of the keys, from the lowest on, each ranked by votes of 8 warps. Cost: shared memory for the elements twice, 2 bytes for each, and 11 KiB, where their number counts as a multiple of 256; 6 barriers for each digit. Elements of more than 96 bits are sorted as keys with places.
///
/// Source: Merrill and Grimshaw, High performance and scalable radix sorting (2011).
///
/// # Also
///
/// `sort_by_key<T: Data, K: Num, S: Size>(xs: Pull<T, S>, key: impl Fn(T) -> K) -> Program<Device, Pull<T, S>>`:
/// Sorts an array of any length by a key, ascending; elements of one key stay in their order. Floats: without NaN. Digits of 8 bits of the keys, from the lowest on: blocks sort tiles of 3584 elements by a digit, of 2048 or 1280 if an element has more than 32 bits, and count their digits. Then each digit takes a scan of the counts, a launch that finds where tiles come from, and one that makes the next tiles, whose elements find where they come from and are sorted by the next digit at once. One tile is one launch. Reads and writes the elements once for each digit, and once more, in two buffers. Elements of more than 96 bits are sorted as keys with places, and fetched at the end. Source: Merrill and Grimshaw, High performance and scalable radix sorting (2011).
pub fn sort_by_key<T: Data, K: Num, S: Size>(xs: Pull<T, S>, key: impl Fn(T) -> K) -> Program<Block, Pull<T, S>> {
    in_kernels_only()
}

/// The first `n` elements of `held`, which has a multiple of 256, sorted by some digits as `sort_tiles` says; what is behind them stays there. The result lies in memory of its own, where `held` is what it was before the last of the digits; `below` becomes how many are below each digit, of all.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn sort_held<T: Data, K: Num>(held: Mut<T>, below: Mut<u32>, n: u32, digits: (u32, u32), key: impl Fn(T) -> K) -> Program<Block, Pull<T>> {
    in_kernels_only()
}

/// Tiles of `tile` elements, each sorted by some of the digits, which are those from the first of `digits` on, as many as the second; and at `d * tiles + t` how many elements of tile `t` are below `d` by the last of these digits. `start` gives the elements of a tile.
///
/// Source: as of `sort_by_key`.
#[doc(hidden)]
pub fn sort_tiles<T: Data, K: Num, S: Size, R: Size>(n: u32, tile: u32, digits: (u32, u32), start: impl Fn(u32) -> Program<Block, Pull<T>>, key: impl Fn(T) -> K) -> Program<Device, (Pull<T, S>, Pull<u32, R>)> {
    in_kernels_only()
}

/// The sums of what is before each of 256 numbers: warps scan 32 in lanes.
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
