//! Sorts.

use obsidian::{Buffer, Error};

use crate::number::Number;

/// The elements in ascending order. A launch, and one more for each time that 512 doubles up to the length.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[3.5f64, -1.0, 2.0])?;
/// assert_eq!(obsidian_algorithms::sort(&xs)?.to_vec()?, [-1.0, 2.0, 3.5]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn sort<T: Number>(xs: &Buffer<T>) -> Result<Buffer<T>, Error> {
    T::sorted(xs)
}

/// Where the elements of the ascending order are: `xs[argsort(xs)[i]]` is element `i` of `sort(xs)`. Equal ones stay in their order, so
/// this sorts whatever belongs to `xs` by key. Cost: that of `sort` of pairs, and a launch.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[30i32, 10, 20, 10])?;
/// assert_eq!(obsidian_algorithms::argsort(&xs)?.to_vec()?, [1, 3, 2, 0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn argsort<T: Number>(xs: &Buffer<T>) -> Result<Buffer<u32>, Error> {
    T::sorted_places(xs)
}

/// The `k` greatest elements, in descending order; all, if there are fewer. Where `k` is at most 128 the elements are read once.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[5u32, 9, 2, 7])?;
/// assert_eq!(obsidian_algorithms::top_k(&xs, 2)?.to_vec()?, [9, 7]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn top_k<T: Number>(xs: &Buffer<T>, k: u32) -> Result<Buffer<T>, Error> {
    T::greatest(xs, k)
}
