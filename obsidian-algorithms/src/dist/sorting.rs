//! Samplesort: each rank sorts its part, samples of all parts cut the order into a piece for each rank, each rank merges what it gets.

use obsidian::exchange::{Done, Exchange};
use obsidian::{Buffer, Device, Element, Error};

use super::spread::Spread;
use super::together;
use crate::number::Number;

/// Where an element is in the whole order, equal ones by where they were: the element, its rank, its place in the rank's sorted part.
type Place<T> = (T, u32, u64);

/// The elements in ascending order: the lowest on rank 0. Equal ones stay in their order, so that `-0.0` and `0.0` do. Where the parts are even
/// a rank has at most about twice its even share of the result, whatever the elements are; [`Spread::balanced`] shares them out evenly. Cost: that of
/// [`sort`](crate::sort) of the part, an exchange of as many samples from each rank as there are ranks, one of each element, and a launch for
/// each doubling of 1 up to the number of ranks, each of which reads the elements that the rank has got.
///
/// # Errors
/// As of [`Exchange`]; what the device reports.
pub fn sort<T: Number>(ranks: &impl Exchange, xs: &Spread<T>) -> Result<Spread<T>, Error> {
    let (me, size) = (ranks.rank(), ranks.size());
    let sorted = together(
        ranks,
        if xs.part().is_empty() { xs.part().device().alloc(0) } else { crate::sorting::sort(xs.part()) },
    )?;
    if size == 1 {
        return Ok(xs.with(sorted));
    }
    let own = together(ranks, sorted.done())?;
    let cuts = cuts(&samples(ranks, &own)?, size);
    let ends: Vec<usize> = cuts.iter().map(|cut| before(&own, me, cut)).chain([own.len()]).collect();
    let starts = [0].into_iter().chain(ends.iter().copied());
    let counts: Vec<usize> = starts.zip(&ends).map(|(start, end)| end - start).collect();
    let runs = ranks.all_to_all_v(&own, &counts)?;
    let merged = together(ranks, all_merged(sorted.device(), runs))?;
    Spread::joined(ranks, merged)
}

/// As many places from each rank's sorted part as there are ranks, evenly apart, in the whole order.
fn samples<T: Number>(ranks: &impl Exchange, own: &[T]) -> Result<Vec<Place<T>>, Error> {
    let (me, size) = (ranks.rank() as u32, ranks.size());
    let count = size.min(own.len());
    let at = |k: usize| (k * own.len() + own.len() / 2) / count;
    let places: Vec<u64> = (0..count).map(|k| at(k) as u64).collect();
    let values: Vec<T> = places.iter().map(|&place| own[place as usize]).collect();
    let (values, places) = (ranks.all_gather(&Done::from(values))?, {
        let places = places.into_iter().map(|place| (me, place)).collect::<Vec<(u32, u64)>>();
        ranks.all_gather(&Done::from(places))?
    });
    let mut all: Vec<Place<T>> = values.into_iter().zip(places).map(|(value, (rank, at))| (value, rank, at)).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    Ok(all)
}

/// Where each rank's piece ends, but for the last one's.
fn cuts<T: Element>(samples: &[Place<T>], size: usize) -> Vec<Option<Place<T>>> {
    (1..size).map(|rank| samples.get(rank * samples.len() / size).copied()).collect()
}

/// How many elements of a rank's sorted part are before a place; all, where there is none.
fn before<T: Number>(own: &[T], me: usize, cut: &Option<Place<T>>) -> usize {
    let Some((value, rank, at)) = *cut else {
        return own.len();
    };
    match me.cmp(&(rank as usize)) {
        std::cmp::Ordering::Less => own.partition_point(|&x| x <= value),
        std::cmp::Ordering::Equal => at as usize,
        std::cmp::Ordering::Greater => own.partition_point(|&x| x < value),
    }
}

/// Sorted runs as one, two by two.
fn all_merged<T: Number>(device: &Device, mut runs: Vec<Vec<T>>) -> Result<Buffer<T>, Error> {
    while runs.len() > 1 {
        let mut next = Vec::with_capacity(runs.len().div_ceil(2));
        let mut rest = runs.into_iter();
        while let Some(mut left) = rest.next() {
            let first = left.len();
            let right = rest.next().unwrap_or_default();
            left.extend_from_slice(&right);
            if first == 0 || right.is_empty() {
                next.push(left);
                continue;
            }
            let first = u32::try_from(first).map_err(|_| Error::TooLong {
                kernel: "sort",
                parameter: "xs",
                found: first as u64,
            })?;
            let merged = T::merged(&*device.lend(&left)?, first)?;
            next.push(merged.done()?.into_vec());
        }
        runs = next;
    }
    device.upload(&runs.pop().unwrap_or_default())
}
