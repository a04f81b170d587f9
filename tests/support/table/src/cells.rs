//! The checks: one for each algorithm and type, of a length.

use obsidian::{Buffer, Device, Element};

use crate::entries::{Entries, Equal};
use crate::items::{Item, mixed};
use crate::model;

/// An algorithm of a type of elements.
#[derive(Clone, Copy)]
pub struct Cell {
    /// The function of the library.
    pub algorithm: &'static str,
    /// The type of elements.
    pub of: &'static str,
    /// Runs every operator, order, key or choice on that number of elements.
    pub check: fn(&Device, usize),
}

/// All of them.
pub fn cells() -> Vec<Cell> {
    let mut all = [of::<u32>(), of::<i64>(), of::<f32>(), of::<f64>(), of::<(u32, i64)>()].concat();
    all.extend([of_equal::<u32>(), of_equal::<i64>(), of_equal::<f32>(), of_equal::<f64>()].concat());
    all
}

fn of<T: Entries>() -> Vec<Cell> {
    let cell = |algorithm, check| Cell { algorithm, of: T::NAME, check };
    vec![
        cell("reduce", reduce::<T>),
        cell("scan", scan::<T>),
        cell("scan_exclusive", scan_exclusive::<T>),
        cell("segmented_scan", segmented_scan::<T>),
        cell("segmented_reduce", segmented_reduce::<T>),
        cell("sort_by", sort_by::<T>),
        cell("sort_by_key", sort_by_key::<T>),
        cell("top_k_by", top_k_by::<T>),
        cell("histogram", histogram::<T>),
        cell("filter", filter::<T>),
        cell("partition", partition::<T>),
        cell("transpose_2d", transpose_2d::<T>),
        cell("rounded", rounded::<T>),
    ]
}

fn of_equal<T: Equal>() -> Vec<Cell> {
    let cell = |algorithm, check| Cell { algorithm, of: T::NAME, check };
    vec![cell("unique", unique::<T>), cell("run_length", run_length::<T>)]
}

fn uploaded<T: Element>(device: &Device, xs: &[T]) -> Buffer<T> {
    device.upload(xs).unwrap_or_else(|e| panic!("{e}"))
}

fn values<T: Item>(n: usize, of: impl Fn(u32) -> T) -> Vec<T> {
    (0..n).map(|i| of(mixed(i))).collect()
}

fn keys(n: usize) -> Vec<u32> {
    (0..n).map(mixed).collect()
}

/// The same bits.
fn same<T: Item>(found: Result<Buffer<T>, obsidian::Error>, expected: &[T], what: impl std::fmt::Display) {
    let found = found.and_then(|buffer| buffer.to_vec());
    let found = found.unwrap_or_else(|e| panic!("{what} of {} {}: {e}", expected.len(), T::NAME));
    assert_eq!(found.len(), expected.len(), "{what} of {}: another length", T::NAME);
    let at = found.iter().zip(expected).position(|(a, b)| a.bits() != b.bits());
    let at = at.map(|at| (at, found[at], expected[at]));
    assert!(at.is_none(), "{what} of {}, {} elements: at, found, expected: {at:?}", T::NAME, expected.len());
}

fn reduce<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::small);
    let on = uploaded(device, &xs);
    for op in 0..3 {
        let found = T::reduced(device, &on, op);
        match xs.iter().copied().reduce(|a, b| T::combined(op, a, b)) {
            Some(expected) => same(found, &[expected], format_args!("reduce, operator {op}, {n} elements")),
            None => assert!(found.unwrap_err().to_string().contains("must be at least 1, found 0")),
        }
    }
}

fn scan<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::small);
    let on = uploaded(device, &xs);
    for op in 0..3 {
        same(T::scanned(device, &on, op), &model::scanned(&xs, op), format_args!("scan, operator {op}"));
    }
}

fn scan_exclusive<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::small);
    let on = uploaded(device, &xs);
    for op in 0..3 {
        same(T::before(device, &on, op), &model::before(&xs, op), format_args!("scan_exclusive, operator {op}"));
    }
}

fn segmented_scan<T: Entries>(device: &Device, n: usize) {
    let (xs, keys) = (values(n, T::small), keys(n));
    let (on, by) = (uploaded(device, &xs), uploaded(device, &keys));
    for (op, base) in (0..3).flat_map(|op| [2, 37, 30_011].map(|base| (op, base))) {
        let expected = model::in_segments(&xs, |i| keys[i] % base == 0, op);
        let what = format_args!("segmented_scan, operator {op}, base {base}");
        same(T::in_segments(device, &on, &by, base, op), &expected, what);
    }
}

/// A warp and a block for each segment.
fn segmented_reduce<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::small);
    let on = uploaded(device, &xs);
    for longest in [90, 9000] {
        let offsets = model::offsets(n, longest);
        let by = uploaded(device, &offsets);
        for op in 0..3 {
            let what = format_args!("segmented_reduce, operator {op}, segments below {longest}, {n} elements");
            same(T::segments(device, &on, &by, op), &model::segments(&xs, &offsets, op), what);
        }
    }
}

fn sort_by<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::of);
    let on = uploaded(device, &xs);
    for order in 0..3 {
        same(T::sorted(device, &on, order), &model::sorted(&xs, order), format_args!("sort_by, order {order}"));
    }
}

fn sort_by_key<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::of);
    let on = uploaded(device, &xs);
    for by in 0..3 {
        same(T::by_key(device, &on, by), &model::by_key(&xs, by), format_args!("sort_by_key, key {by}"));
    }
}

fn top_k_by<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::of);
    let on = uploaded(device, &xs);
    for order in 0..3 {
        let sorted = model::sorted(&xs, order);
        for k in [0, 1, 20, 130] {
            let what = format_args!("top_k_by, {k} in order {order}, of {n}");
            same(T::first(device, &on, k as u32, order), &sorted[..n.min(k)], what);
        }
    }
}

fn histogram<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::of);
    let on = uploaded(device, &xs);
    for by in 0..3 {
        let what = format_args!("histogram of {}, key {by}, {n} elements", T::NAME);
        same(T::counted(device, &on, by), &model::counted(&xs, by), what);
    }
}

fn filter<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::of);
    let on = uploaded(device, &xs);
    for which in 0..3 {
        same(T::filtered(device, &on, which), &model::parted(&xs, which).0, format_args!("filter {which}"));
    }
}

fn partition<T: Entries>(device: &Device, n: usize) {
    let xs = values(n, T::of);
    let on = uploaded(device, &xs);
    for which in 0..3 {
        let (kept, left) = T::parted(device, &on, which).unwrap_or_else(|e| panic!("{e}"));
        let expected = model::parted(&xs, which);
        same(Ok(kept), &expected.0, format_args!("partition {which}, kept"));
        same(Ok(left), &expected.1, format_args!("partition {which}, left"));
    }
}

/// In one row, in few, in as many as there are columns, and in one column.
fn transpose_2d<T: Entries>(device: &Device, n: usize) {
    for columns in [1, 7, (n as f64).sqrt() as usize, n].into_iter().filter(|columns| *columns > 0) {
        let xs = values(n / columns * columns, T::of);
        let found = T::turned(device, &uploaded(device, &xs), columns as u32);
        same(found, &model::turned(&xs, columns), format_args!("transpose_2d, {columns} columns"));
    }
}

/// Sums that depend on the order: the CPU's bits.
fn rounded<T: Entries>(device: &Device, n: usize) {
    let (xs, offsets) = (values(n, T::rounded), model::offsets(n, 9000));
    let sums = |device: &Device| {
        let (on, by) = (uploaded(device, &xs), uploaded(device, &offsets));
        let one = (n > 0).then(|| T::reduced(device, &on, 0));
        let more = [T::scanned(device, &on, 0), T::before(device, &on, 0), T::segments(device, &on, &by, 0)];
        one.into_iter().chain(more).map(|sums| sums.unwrap().to_vec().unwrap()).collect::<Vec<_>>()
    };
    for (found, expected) in sums(device).iter().zip(sums(&Device::cpu())) {
        let at = found.iter().zip(&expected).position(|(a, b)| a.bits() != b.bits());
        assert!(at.is_none() && found.len() == expected.len(), "{n} {}: not the CPU's sum at {at:?}", T::NAME);
    }
}

/// Runs of one, of a few, and the longest there can be.
fn in_runs<T: Item>(n: usize, shift: u32) -> Vec<T> {
    let step = |sum: &mut u32, key: u32| {
        *sum = sum.wrapping_add(key.checked_shr(shift).unwrap_or(0));
        Some(T::of(*sum % 1021))
    };
    (0..n).map(mixed).scan(0, step).collect()
}

fn unique<T: Equal>(device: &Device, n: usize) {
    for shift in [0, 23, 32] {
        let xs: Vec<T> = in_runs(n, shift);
        let expected: Vec<T> = model::runs(&xs).iter().map(|run| run.0).collect();
        same(T::distinct(device, &uploaded(device, &xs)), &expected, format_args!("unique of {n}, shift {shift}"));
    }
}

fn run_length<T: Equal>(device: &Device, n: usize) {
    for shift in [0, 23, 32] {
        let xs: Vec<T> = in_runs(n, shift);
        let found = T::runs(device, &uploaded(device, &xs)).unwrap_or_else(|e| panic!("{e}"));
        let bits = |runs: &[(T, u32)]| runs.iter().map(|run| (run.0.bits(), run.1)).collect::<Vec<_>>();
        assert!(bits(&found) == bits(&model::runs(&xs)), "run_length of {n} {}, shift {shift}", T::NAME);
    }
}
