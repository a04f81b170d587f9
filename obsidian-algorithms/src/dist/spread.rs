//! Arrays of which each rank has a part.

use std::fmt;
use std::ops::Range;

use obsidian::exchange::{Done, Exchange};
use obsidian::{Buffer, Element, Error};

use super::together;

/// How many neighbours are combined by one block of one rank, counted from the first element of the whole array.
pub const TILE: usize = 2048;

/// An array over all ranks: its length, and of each rank a part, one after the other. Parts may have any lengths, also none.
pub struct Spread<T: Element> {
    /// Where the part of each rank begins, and the length.
    starts: Vec<u64>,
    rank: usize,
    part: Buffer<T>,
}

/// The elements that a rank has, where `len` elements are shared out evenly, in pairs of [tiles](TILE) where there are as many as ranks.
///
/// ```
/// use obsidian_algorithms::dist::share;
/// assert_eq!([0, 1, 2].map(|rank| share(10, 3, rank)), [0..3, 3..6, 6..10]);
/// assert_eq!([0, 1].map(|rank| share(10_000, 2, rank)), [0..4096, 4096..10_000]);
/// ```
pub fn share(len: u64, size: usize, rank: usize) -> Range<u64> {
    let pair = 2 * TILE as u64;
    let pairs = len.div_ceil(pair);
    let start = |rank: usize| {
        let cut = |all: u64| (u128::from(all) * rank as u128 / size.max(1) as u128) as u64;
        if pairs < size as u64 { cut(len) } else { (cut(pairs) * pair).min(len) }
    };
    start(rank)..start(rank + 1)
}

impl<T: Element> Spread<T> {
    /// The array of `len` elements of which this rank has `part`.
    ///
    /// # Errors
    /// The parts do not add up to `len`, or ranks say different lengths; as of [`Exchange`].
    pub fn new(ranks: &impl Exchange, len: u64, part: Buffer<T>) -> Result<Spread<T>, Error> {
        let said = ranks.all_gather(&Done::from(vec![(len, part.len() as u64)]))?;
        let odd = said.iter().position(|&(other, _)| other != said[0].0);
        if let Some(rank) = odd {
            let reason = format!("it says that the array has {} elements, and rank 0 {}", said[rank].0, said[0].0);
            return Err(ranks.fail(rank, reason));
        }
        let lengths: Vec<u64> = said.into_iter().map(|(_, part)| part).collect();
        let spread = Spread::of(ranks.rank(), &lengths, part);
        if spread.len() == len {
            return Ok(spread);
        }
        // The first rank that has another part than an even one.
        let even = |&rank: &usize| lengths[rank] != { share(len, ranks.size(), rank) }.clone().count() as u64;
        let rank = (0..ranks.size()).find(even).unwrap_or(0);
        let reason =
            format!("its part has {} elements; all parts together have {}, not {len}", lengths[rank], spread.len());
        Err(ranks.fail(rank, reason))
    }

    /// The array that the parts make, whatever their lengths.
    ///
    /// # Errors
    /// As of [`Exchange`].
    pub fn joined(ranks: &impl Exchange, part: Buffer<T>) -> Result<Spread<T>, Error> {
        let lengths = ranks.all_gather(&Done::from(vec![part.len() as u64]))?;
        Ok(Spread::of(ranks.rank(), &lengths, part))
    }

    fn of(rank: usize, lengths: &[u64], part: Buffer<T>) -> Spread<T> {
        let ends = lengths.iter().scan(0, |at, len| {
            *at += len;
            Some(*at)
        });
        Spread { starts: [0].into_iter().chain(ends).collect(), rank, part }
    }

    /// An array whose parts are as long as those of this one.
    pub(super) fn with<U: Element>(&self, part: Buffer<U>) -> Spread<U> {
        Spread { starts: self.starts.clone(), rank: self.rank, part }
    }

    /// The number of elements of all ranks together.
    pub fn len(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Whether there are none on any rank.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where this rank's part begins.
    pub fn start(&self) -> u64 {
        self.starts[self.rank]
    }

    /// Where each rank's part begins, and the length at the end.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// This rank's part.
    pub fn part(&self) -> &Buffer<T> {
        &self.part
    }

    /// This rank's part without the others.
    pub fn into_part(self) -> Buffer<T> {
        self.part
    }

    /// All elements on rank `root`, none on the others.
    ///
    /// # Errors
    /// As of [`Exchange`]; what the device reports.
    pub fn gather(&self, ranks: &impl Exchange, root: usize) -> Result<Vec<T>, Error> {
        Ok(ranks.gather(root, &together(ranks, self.part.done())?)?.concat())
    }

    /// The same array, shared out evenly, as [`share`] says. Each element that changes its rank is sent once.
    ///
    /// # Errors
    /// As of [`Exchange`]; what the device reports.
    pub fn balanced(&self, ranks: &impl Exchange) -> Result<Spread<T>, Error> {
        let (size, own) = (ranks.size(), self.start()..self.start() + self.part.len() as u64);
        let shares: Vec<Range<u64>> = (0..size).map(|rank| share(self.len(), size, rank)).collect();
        if shares.iter().map(|share| share.start).eq(self.starts[..size].iter().copied()) {
            let copy = together(ranks, self.part.device().joined(&[&self.part]))?;
            return Ok(self.with(copy));
        }
        let common = |share: &Range<u64>| share.end.min(own.end).saturating_sub(share.start.max(own.start)) as usize;
        let counts: Vec<usize> = shares.iter().map(common).collect();
        let parts = ranks.all_to_all_v(&together(ranks, self.part.done())?, &counts)?;
        let part = together(ranks, self.part.device().upload(&parts.concat()))?;
        let lengths: Vec<u64> = shares.iter().map(|share| share.end - share.start).collect();
        Ok(Spread::of(self.rank, &lengths, part))
    }

    /// An error on all ranks unless `other` has parts as long as these; `what` is its name.
    pub(super) fn as_long<U: Element>(
        &self,
        ranks: &impl Exchange,
        other: &Spread<U>,
        what: &str,
    ) -> Result<(), Error> {
        let lengths = |starts: &[u64], rank: usize| starts[rank + 1] - starts[rank];
        let pairs = (0..ranks.size()).map(|rank| (lengths(&self.starts, rank), lengths(&other.starts, rank)));
        match pairs.enumerate().find(|(_, (own, others))| own != others) {
            None => Ok(()),
            Some((rank, (own, others))) => {
                Err(ranks
                    .fail(rank, format!("its part has {own} elements and {others} {what}; the lengths must be equal")))
            }
        }
    }
}

impl<T: Element> fmt::Debug for Spread<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, len) = (self.start(), self.len());
        write!(f, "Spread<{}>({at}.. of {len} elements: {:?})", std::any::type_name::<T>(), self.part)
    }
}
