//! Beyond one machine: what the ranks of a program exchange. In: finished results ([`Done`]); out: vectors of the host's. [`Exchange`] is
//! what programs are written against; [`Ranks`] is an exchange over any [`Wire`], which carries bytes; [`Threads`] is the wire inside
//! of one process, and the package `obsidian-mpi` has the one of MPI. Knows no kernels.
//!
//! A *rank* is one of several runs of the same program, numbered from 0. All ranks do the same exchanges in the same order; each is a
//! *step*, and numbered. What goes wrong on one rank is an [`Error::Exchange`] on all of them, which names the rank and the step, within
//! the time limit of the [`Ranks`].
//!
//! ```
//! use obsidian_runtime::exchange::{Done, Exchange, in_process};
//! use std::time::Duration;
//!
//! # fn main() -> Result<(), obsidian_runtime::Error> {
//! let device = obsidian_runtime::Device::cpu();
//! let found = in_process(3, &device, Duration::from_secs(20), |ranks| {
//!     let mine = device.upload(&[ranks.rank() as u32, 1])?;
//!     ranks.all_reduce(&mine.done()?, |a, b| a + b)
//! });
//! for sums in found {
//!     assert_eq!(sums?, [3, 3]);
//! }
//! # Ok(()) }
//! ```

mod collective;
mod done;
mod halo;
mod message;
#[cfg(feature = "nccl")]
mod nccl;
mod patience;
mod payload;
mod ranks;
#[cfg(test)]
mod tests;
mod threads;
mod wire;

use std::ops::Range;

use crate::element::Element;
use crate::error::Error;

pub use done::{Done, Finished};
pub use halo::{Halo, RowShares};
#[cfg(feature = "nccl")]
pub use nccl::Nccl;
pub use ranks::Ranks;
pub use threads::{Threads, in_process};
pub use wire::{Ending, Leaving, Wire};

/// What was made of the arrays of neighbouring ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run<T> {
    /// The ranks.
    pub ranks: Range<usize>,
    /// What was made of their arrays.
    pub values: Vec<T>,
}

/// Exchanges between ranks. Every rank calls the same methods in the same order; a call returns when this rank has what it asked for.
///
/// What is exchanged is a [`Done`]: values of the host's, or a buffer that was waited for. A buffer that a launch may still be writing
/// is none, and the compiler says to write `.done()?`:
///
/// ```compile_fail,E0277
/// use obsidian_runtime::{Buffer, Error, exchange::Exchange};
/// fn sums(ranks: &impl Exchange, written_by_a_launch: &Buffer<f32>) -> Result<Vec<f32>, Error> {
///     ranks.all_reduce(written_by_a_launch, |a, b| a + b)
/// }
/// ```
///
/// ```
/// use obsidian_runtime::{Buffer, Error, exchange::Exchange};
/// fn sums(ranks: &impl Exchange, written_by_a_launch: &Buffer<f32>) -> Result<Vec<f32>, Error> {
///     ranks.all_reduce(&written_by_a_launch.done()?, |a, b| a + b)
/// }
/// ```
///
/// # Errors
/// Every method gives [`Error::Exchange`] on every rank when a rank leaves, fails, sends nothing within the time limit, or does another
/// exchange than the others. After that all further exchanges give the same error; a rank that has all it asked for before it is told has it
/// at its next exchange.
pub trait Exchange {
    /// Which rank this is, below [`size`](Exchange::size).
    fn rank(&self) -> usize;

    /// How many ranks there are, at least 1.
    fn size(&self) -> usize;

    /// What `merge` makes of the arrays of all ranks, in the order of the ranks; `merge(left, right)` of neighbouring runs of ranks must
    /// associate, and need not commute. The arrays may have different lengths. About log2 of `size` messages a rank.
    ///
    /// # Errors
    /// As of the trait.
    fn all_merge<T: Element>(
        &self,
        mine: &impl Finished<T>,
        merge: impl FnMut(Run<T>, Run<T>) -> Vec<T>,
    ) -> Result<Vec<T>, Error>;

    /// What `merge` makes of the arrays of all lower ranks, in their order; `None` on rank 0. As [`all_merge`](Exchange::all_merge).
    ///
    /// # Errors
    /// As of the trait.
    fn merge_before<T: Element>(
        &self,
        mine: &impl Finished<T>,
        merge: impl FnMut(Run<T>, Run<T>) -> Vec<T>,
    ) -> Result<Option<Vec<T>>, Error>;

    /// Element by element what `op` makes of the arrays of all ranks, in the order of the ranks. `op` must associate, and need not
    /// commute. Where it only nearly associates, as the addition of floats, the result is the same on all ranks, but not for all numbers
    /// of ranks.
    ///
    /// # Errors
    /// As of the trait; the arrays have different lengths.
    fn all_reduce<T: Element>(&self, mine: &impl Finished<T>, op: impl FnMut(T, T) -> T) -> Result<Vec<T>, Error>;

    /// Element by element what `op` makes of the arrays of all lower ranks; `None` on rank 0: what a scan carries in. As
    /// [`all_reduce`](Exchange::all_reduce).
    ///
    /// # Errors
    /// As of the trait; the arrays have different lengths.
    fn scan_exclusive<T: Element>(
        &self,
        mine: &impl Finished<T>,
        op: impl FnMut(T, T) -> T,
    ) -> Result<Option<Vec<T>>, Error>;

    /// Sends the first `counts[0]` elements to rank 0, the next `counts[1]` to rank 1, and so on; gives what came from each rank.
    ///
    /// # Errors
    /// As of the trait; `counts` are not one for each rank, or not of as many elements as there are.
    fn all_to_all_v<T: Element>(&self, mine: &impl Finished<T>, counts: &[usize]) -> Result<Vec<Vec<T>>, Error>;

    /// The rows that other ranks hold beside those of this one. `first` and `last` are the first and the last rows of this rank, as many
    /// as the radius says, or all where there are fewer. `meanwhile` runs while the rows are under way, without an exchange in it.
    ///
    /// # Errors
    /// As of the trait; that of `meanwhile`; `shares` do not fit the ranks, or `first` and `last` not the shares.
    fn halo<T: Element, R>(
        &self,
        shares: &RowShares<'_>,
        first: &impl Finished<T>,
        last: &impl Finished<T>,
        meanwhile: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(Halo<T>, R), Error>;

    /// What rank `root` gives, on all ranks; what the others give is not looked at.
    ///
    /// # Errors
    /// As of the trait; there is no rank `root`.
    fn broadcast<T: Element>(&self, root: usize, mine: &impl Finished<T>) -> Result<Vec<T>, Error>;

    /// What each rank gives, on rank `root`; nothing on the others.
    ///
    /// # Errors
    /// As of the trait; there is no rank `root`.
    fn gather<T: Element>(&self, root: usize, mine: &impl Finished<T>) -> Result<Vec<Vec<T>>, Error>;

    /// Tells all ranks that the program cannot go on because of rank `rank`, and why: their next exchange gives the error that this call
    /// gives.
    fn fail(&self, rank: usize, reason: String) -> Error;

    /// What all ranks give, one after the other, on all ranks.
    ///
    /// # Errors
    /// As of the trait.
    fn all_gather<T: Element>(&self, mine: &impl Finished<T>) -> Result<Vec<T>, Error> {
        self.all_merge(mine, |mut left, right| {
            left.values.extend(right.values);
            left.values
        })
    }
}
