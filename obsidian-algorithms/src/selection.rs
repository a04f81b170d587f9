//! Selections and runs: arrays whose lengths follow from data.

use obsidian::{Buffer, Error};

use crate::number::Number;

/// The elements whose flag is set, in their order. Two launches on CUDA, four elsewhere, and the host waits for how many there are.
///
/// ```
/// # use obsidian::prelude::*;
/// let dev = Device::cpu();
/// let (xs, flags) = (dev.upload(&[3i64, 1, 4])?, dev.upload(&[true, false, true])?);
/// assert_eq!(obsidian_algorithms::filter(&xs, &flags)?.to_vec()?, [3, 4]);
/// assert!(obsidian_algorithms::filter(&xs, &dev.upload(&[true])?).is_err());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// There are not as many flags as elements; what the device reports.
pub fn filter<T: Number>(xs: &Buffer<T>, flags: &Buffer<bool>) -> Result<Buffer<T>, Error> {
    if flags.len() != xs.len() {
        let (expected, found) = (xs.len() as u64, flags.len() as u64);
        return Err(Error::Length { kernel: "filter", parameter: "flags", expected, found });
    }
    T::selected(xs, flags)
}

/// The elements that differ from the one before them, in their order. Two launches on CUDA, four elsewhere, and the host waits for how many there are.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[2u32, 2, 1, 2, 2])?;
/// assert_eq!(obsidian_algorithms::unique(&xs)?.to_vec()?, [2, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn unique<T: Number>(xs: &Buffer<T>) -> Result<Buffer<T>, Error> {
    T::firsts(xs)
}

/// The runs of equal neighbours: the element of each, and how many there are of it. Two launches on CUDA, four elsewhere, and the host waits for how many runs
/// there are.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[2u32, 2, 1, 2, 2])?;
/// assert_eq!(obsidian_algorithms::run_length(&xs)?.to_vec()?, [(2, 2), (1, 1), (2, 2)]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn run_length<T: Number>(xs: &Buffer<T>) -> Result<Buffer<(T, u32)>, Error> {
    T::runs(xs)
}
