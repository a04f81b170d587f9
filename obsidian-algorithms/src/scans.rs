//! Scans.

use obsidian::{Buffer, Error};

use crate::number::Number;

/// The sums of all beginnings: element `i` is the sum of the elements up to `i`, and with it. One launch on CUDA, three elsewhere.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[3u32, 1, 4, 1])?;
/// assert_eq!(obsidian_algorithms::scan(&xs)?.to_vec()?, [3, 4, 8, 9]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn scan<T: Number>(xs: &Buffer<T>) -> Result<Buffer<T>, Error> {
    T::sums(xs)
}

/// The sums of what is before each element, from `init`. One launch on CUDA, three elsewhere.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[3u32, 1, 4, 1])?;
/// assert_eq!(obsidian_algorithms::scan_exclusive(&xs, 10)?.to_vec()?, [10, 13, 14, 18]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn scan_exclusive<T: Number>(xs: &Buffer<T>, init: T) -> Result<Buffer<T>, Error> {
    T::sums_before(xs, init)
}
