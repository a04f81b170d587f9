//! The same on several ranks: arrays of which each rank has a part, and functions over them. What the ranks exchange goes through an
//! [`Exchange`]: threads of one process, or MPI by the package `obsidian-mpi`.
//!
//! ```
//! use obsidian::exchange::{Exchange, in_process};
//! use obsidian::prelude::*;
//! use obsidian_algorithms::dist::{self, Spread};
//! use std::time::Duration;
//!
//! let device = Device::cpu();
//! let found = in_process(2, &device, Duration::from_secs(20), |ranks| {
//!     let mine = dist::share(10_000, ranks.size(), ranks.rank());
//!     let part = device.upload(&mine.map(|i| i as f32).collect::<Vec<_>>())?;
//!     let xs = Spread::new(ranks, 10_000, part)?;
//!     dist::sum(ranks, &xs)
//! });
//! assert_eq!(found[0].as_ref().unwrap(), found[1].as_ref().unwrap());
//! ```
//!
//! Every rank calls the same functions in the same order, and gets the same numbers, or its part of an array. The bits depend on the
//! elements and their number, never on how many ranks there are or on what part each of them has: neighbours are combined in [tiles](TILE) of
//! the whole array, and the tiles by one tree over the whole array. Parts that begin between two tiles cost an exchange of less than a tile
//! with the ranks beside; [`share`] cuts between pairs of tiles.
//!
//! What goes wrong on one rank, such as parts of two arrays that are not equally long, is an error on all of them, which names the rank
//! ([`Error::Exchange`]).

mod forest;
mod reductions;
mod rows;
mod scans;
mod selection;
mod sorting;
mod spread;
mod tiles;

use obsidian::Error;
use obsidian::exchange::Exchange;

pub use reductions::{Operator, Sum, histogram, reduce, sum};
pub use rows::{Beyond, Rows, stencil_rows, transpose};
pub use scans::{scan, scan_by};
pub use selection::filter;
pub use sorting::sort;
pub use spread::{Spread, TILE, share};

/// The result, or an error on all ranks where this one has failed.
fn together<R>(ranks: &impl Exchange, result: Result<R, Error>) -> Result<R, Error> {
    result.map_err(|error| match error {
        Error::Exchange { .. } => error,
        other => ranks.fail(ranks.rank(), other.to_string()),
    })
}
