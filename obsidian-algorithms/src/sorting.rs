//! Sorts.

use obsidian::{Buffer, Error};

use crate::number::Number;

/// The elements in ascending order, by digits of 8 bits: a launch and three for each digit, of at most 3840 elements of 32 bits or 2048 of 64
/// one launch.
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

/// The keys in ascending order, and with each the value that belongs to it. Elements of one key stay in their order. Cost: that of
/// [`argsort`], and two launches.
///
/// ```
/// # use obsidian::prelude::*;
/// let dev = Device::cpu();
/// let (keys, values) = (dev.upload(&[2u32, 1, 2])?, dev.upload(&[0.5f64, 1.5, 2.5])?);
/// let (keys, values) = obsidian_algorithms::sort_by_key(&keys, &values)?;
/// assert_eq!((keys.to_vec()?, values.to_vec()?), (vec![1, 2, 2], vec![1.5, 0.5, 2.5]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// There are not as many values as keys; what the device reports.
pub fn sort_by_key<K: Number, V: Number>(
    keys: &Buffer<K>,
    values: &Buffer<V>,
) -> Result<(Buffer<K>, Buffer<V>), Error> {
    if values.len() != keys.len() {
        let (expected, found) = (keys.len() as u64, values.len() as u64);
        return Err(Error::Length { kernel: "sort_by_key", parameter: "values", expected, found });
    }
    if keys.is_empty() {
        return Ok((keys.device().upload(&[])?, values.device().upload(&[])?));
    }
    let places = K::sorted_places(keys)?;
    Ok((K::taken(keys, &places)?, V::taken(values, &places)?))
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
