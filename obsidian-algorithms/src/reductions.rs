//! Reductions.

use obsidian::{Buffer, Error};

use crate::kernels;
use crate::number::Number;

/// The sum of all elements; 0, if there are none. Two launches, which read the elements once.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[0.5f32, 1.5, 4.0])?;
/// assert_eq!(obsidian_algorithms::sum(&xs)?, 6.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn sum<T: Number>(xs: &Buffer<T>) -> Result<T, Error> {
    if xs.is_empty() { Ok(T::UNITS.0) } else { only(&T::sum(xs)?, T::UNITS.0) }
}

/// The product of all elements; 1, if there are none. Two launches, which read the elements once.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[2i64, -3, 7])?;
/// assert_eq!(obsidian_algorithms::product(&xs)?, -42);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn product<T: Number>(xs: &Buffer<T>) -> Result<T, Error> {
    if xs.is_empty() { Ok(T::UNITS.1) } else { only(&T::product(xs)?, T::UNITS.1) }
}

/// The least element, if there is one.
///
/// ```
/// # use obsidian::prelude::*;
/// let dev = Device::cpu();
/// assert_eq!(obsidian_algorithms::min(&dev.upload(&[4i32, -1, 3])?)?, Some(-1));
/// assert_eq!(obsidian_algorithms::min(&dev.upload::<i32>(&[])?)?, None);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn min<T: Number>(xs: &Buffer<T>) -> Result<Option<T>, Error> {
    Ok(if xs.is_empty() { None } else { T::extremes(xs)?.to_vec()?.pop().map(|both| both.0) })
}

/// The greatest element, if there is one.
///
/// ```
/// # use obsidian::prelude::*;
/// let xs = Device::cpu().upload(&[4u64, 1, 3])?;
/// assert_eq!(obsidian_algorithms::max(&xs)?, Some(4));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the device reports.
pub fn max<T: Number>(xs: &Buffer<T>) -> Result<Option<T>, Error> {
    Ok(if xs.is_empty() { None } else { T::extremes(xs)?.to_vec()?.pop().map(|both| both.1) })
}

/// The sum of each segment: segment `s` are the elements from `offsets[s]` up to `offsets[s + 1]`, as the rows of a sparse matrix. There
/// is one offset more than there are segments. One launch, which reads the elements once.
///
/// ```
/// # use obsidian::prelude::*;
/// let dev = Device::cpu();
/// let (xs, offsets) = (dev.upload(&[1u32, 2, 3, 4, 5])?, dev.upload(&[0u32, 2, 2, 5])?);
/// assert_eq!(obsidian_algorithms::segmented_sum(&xs, &offsets)?.to_vec()?, [3, 0, 12]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// There is no offset; an offset is past the end; what the device reports.
pub fn segmented_sum<T: Number>(xs: &Buffer<T>, offsets: &Buffer<u32>) -> Result<Buffer<T>, Error> {
    T::sums_of_segments(xs, offsets)
}

/// How often each of `0 .. bins` is among the keys. Where there are 256 bins, as for bytes, blocks count in their own memory, in two
/// launches; else each key is one atomic update, in one launch. Reads the keys once.
///
/// ```
/// # use obsidian::prelude::*;
/// let keys = Device::cpu().upload(&[2u32, 0, 2, 3])?;
/// assert_eq!(obsidian_algorithms::histogram(&keys, 4)?.to_vec()?, [1, 0, 2, 1]);
/// assert!(obsidian_algorithms::histogram(&keys, 3).is_err());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// A key is not below `bins`; what the device reports.
pub fn histogram(keys: &Buffer<u32>, bins: u32) -> Result<Buffer<u32>, Error> {
    if bins == 256 {
        return kernels::bytes_counted.run(keys.device(), keys);
    }
    let mut counts = keys.device().upload(&vec![0u32; bins as usize])?;
    kernels::counted.run(keys.device(), keys, &mut counts)?;
    Ok(counts)
}

/// The element of a buffer of one.
fn only<T: Number>(one: &Buffer<T>, otherwise: T) -> Result<T, Error> {
    Ok(one.to_vec()?.pop().unwrap_or(otherwise))
}
