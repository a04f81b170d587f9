//! Scans over all ranks.

use obsidian::Error;
use obsidian::exchange::{Done, Exchange};

use super::forest::Forest;
use super::reductions::{Operator, Sum, joined, of_tiles};
use super::spread::{Spread, TILE};
use super::tiles::Tiles;
use super::together;
use crate::number::Number;

/// What all beginnings combine to: element `i` is what the elements up to `i`, and with it, give. The parts stay as they are. Two launches,
/// which read the elements twice, and one exchange of about log2 of the number of tiles elements.
///
/// # Errors
/// As of [`Exchange`]; what the device reports.
pub fn scan_by<O: Operator>(ranks: &impl Exchange, operator: &O, xs: &Spread<O::Of>) -> Result<Spread<O::Of>, Error> {
    let tiles = Tiles::of(ranks, xs, TILE)?;
    let (own, first) =
        (together(ranks, of_tiles(&tiles, TILE, |xs| operator.tiles(xs)))?, tiles.cuts.tiles[ranks.rank()]);
    let forest = Forest::of_tiles(operator, first, &own).into_values();
    let before = ranks.merge_before(&Done::from(forest), |left, right| joined(operator, &tiles.cuts, left, right))?;
    let before = Forest::of(operator, 0..first, before.unwrap_or_default()).before_each(first, &own);
    let scanned = tiles.each(|tile, xs| {
        let at = (tile - first) as usize;
        let before = xs.device().upload(&before[at..at + xs.len().div_ceil(TILE)])?;
        operator.scan_tiles(xs, &before)
    });
    Ok(xs.with(tiles.back(ranks, together(ranks, scanned)?)?))
}

/// The sums of all beginnings. Cost: that of [`scan_by`].
///
/// # Errors
/// As of [`scan_by`].
pub fn scan<T: Number>(ranks: &impl Exchange, xs: &Spread<T>) -> Result<Spread<T>, Error> {
    scan_by(ranks, &Sum::default(), xs)
}
