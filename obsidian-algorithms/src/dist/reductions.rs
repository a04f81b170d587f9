//! Reductions over all ranks.

use std::fmt;
use std::marker::PhantomData;

use obsidian::exchange::{Done, Exchange, Run};
use obsidian::{Buffer, Element, Error};

use super::forest::Forest;
use super::spread::{Spread, TILE};
use super::tiles::{Cuts, Tiles, values};
use super::together;
use crate::number::Number;

/// What neighbours are combined by: two kernels for the elements of a rank, and the same on the host for what tiles give. It must
/// associate, and need not commute. In a `kernel!` of one's own the kernels are
///
/// ```ignore
/// pub fn tiles(xs: DPull<(f32, f32)>) -> DPush<Grid, (f32, f32)> {
///     ends_of_tiles(xs, |f, g| ..)
/// }
///
/// pub fn scan_tiles(xs: DPull<(f32, f32)>, before: DPull<(f32, f32)>) -> DPush<Grid, (f32, f32)> {
///     let tiles = xs.chunks(2048);
///     mk_pull(tiles.len(), |k| exec_block(scan_tile(tiles[k], |f, g| ..).map(|x| ..before[k] and x..))).as_grid()
/// }
/// ```
pub trait Operator {
    /// The elements.
    type Of: Element;

    /// How many neighbours a block combines where only [`reduce`] asks for it: at most twice as many as a [tile](TILE), for then parts that
    /// [`share`](super::share) cuts need no exchange for it.
    const REDUCED: usize = TILE;

    /// What changes nothing: the result of no elements, and what is before the first.
    fn unit(&self) -> Self::Of;

    /// Two neighbours combined, with the bits of the kernels.
    fn combine(&self, left: Self::Of, right: Self::Of) -> Self::Of;

    /// What each [tile](TILE) combines to; the last may be shorter.
    ///
    /// # Errors
    /// What the device reports.
    fn tiles(&self, xs: &Buffer<Self::Of>) -> Result<Buffer<Self::Of>, Error>;

    /// What each [`REDUCED`](Operator::REDUCED) neighbours combine to; the last may be fewer.
    ///
    /// # Errors
    /// What the device reports.
    fn reduced(&self, xs: &Buffer<Self::Of>) -> Result<Buffer<Self::Of>, Error> {
        self.tiles(xs)
    }

    /// Element by element what is before the tile, and the elements of the tile up to this one, combine to.
    ///
    /// # Errors
    /// What the device reports.
    fn scan_tiles(&self, xs: &Buffer<Self::Of>, before: &Buffer<Self::Of>) -> Result<Buffer<Self::Of>, Error>;
}

/// Addition; integers wrap.
pub struct Sum<T>(PhantomData<fn() -> T>);

impl<T: Number> Default for Sum<T> {
    fn default() -> Self {
        Sum(PhantomData)
    }
}

impl<T> fmt::Debug for Sum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sum")
    }
}

impl<T: Number> Operator for Sum<T> {
    type Of = T;

    // As the sum of one device does: half as many blocks cost the CPU an eighth less.
    const REDUCED: usize = 2 * TILE;

    fn unit(&self) -> T {
        T::UNITS.0
    }

    fn combine(&self, left: T, right: T) -> T {
        left.plus(right)
    }

    fn tiles(&self, xs: &Buffer<T>) -> Result<Buffer<T>, Error> {
        T::sums_of_tiles(xs)
    }

    fn reduced(&self, xs: &Buffer<T>) -> Result<Buffer<T>, Error> {
        T::sums_of_pairs(xs)
    }

    fn scan_tiles(&self, xs: &Buffer<T>, before: &Buffer<T>) -> Result<Buffer<T>, Error> {
        T::sums_in_tiles(xs, before)
    }
}

/// What each tile of this rank combines to.
pub(super) fn of_tiles<T: Element>(
    tiles: &Tiles<'_, T>,
    tile: usize,
    combined: impl Fn(&Buffer<T>) -> Result<Buffer<T>, Error>,
) -> Result<Vec<T>, Error> {
    let combined = tiles.each(|_, xs| {
        let found = combined(xs)?;
        match xs.len().div_ceil(tile) {
            expected if expected == found.len() => Ok(found),
            expected => {
                let (kernel, parameter) = ("tiles", "the result");
                Err(Error::Length { kernel, parameter, expected: expected as u64, found: found.len() as u64 })
            }
        }
    });
    values(&combined?)
}

/// Joins what neighbouring ranks' tiles combine to.
pub(super) fn joined<O: Operator>(operator: &O, cuts: &Cuts, left: Run<O::Of>, right: Run<O::Of>) -> Vec<O::Of> {
    let mut forest = Forest::of(operator, cuts.run(&left.ranks), left.values);
    forest.append(Forest::of(operator, cuts.run(&right.ranks), right.values));
    forest.into_values()
}

/// What all elements combine to, the unit if there are none; on every rank. One launch, which reads the elements once, and one exchange of
/// about log2 of the number of tiles elements.
///
/// # Errors
/// As of [`Exchange`]; what the device reports.
pub fn reduce<O: Operator>(ranks: &impl Exchange, operator: &O, xs: &Spread<O::Of>) -> Result<O::Of, Error> {
    let tiles = Tiles::of(ranks, xs, O::REDUCED)?;
    let own = together(ranks, of_tiles(&tiles, O::REDUCED, |xs| operator.reduced(xs)))?;
    let forest = Forest::of_tiles(operator, tiles.cuts.tiles[ranks.rank()], &own).into_values();
    let all = ranks.all_merge(&Done::from(forest), |left, right| joined(operator, &tiles.cuts, left, right))?;
    let whole = tiles.cuts.run(&(0..ranks.size()));
    Ok(Forest::of(operator, whole, all).all().unwrap_or_else(|| operator.unit()))
}

/// The sum of all elements, 0 if there are none; on every rank. Cost: that of [`reduce`].
///
/// # Errors
/// As of [`reduce`].
pub fn sum<T: Number>(ranks: &impl Exchange, xs: &Spread<T>) -> Result<T, Error> {
    reduce(ranks, &Sum::default(), xs)
}

/// How often each of `0 .. bins` is among the keys; on every rank. Cost: that of [`histogram`](crate::histogram), and one exchange of `bins`
/// numbers.
///
/// # Errors
/// A key is not below `bins`; as of [`Exchange`]; what the device reports.
pub fn histogram(ranks: &impl Exchange, keys: &Spread<u32>, bins: u32) -> Result<Vec<u64>, Error> {
    let counted = || crate::reductions::histogram(keys.part(), bins)?.to_vec();
    let counts = together(ranks, counted())?.into_iter().map(u64::from).collect::<Vec<_>>();
    ranks.all_reduce(&Done::from(counts), |a, b| a + b)
}
