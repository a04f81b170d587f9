//! Operators with choices inside of choices, whose text would double with each element that a thread combines, against plain Rust.

use obsidian::prelude::*;
use obsidian::{Buffer, Element, Error};

kernel! {
    /// A sum, the greater one, or the last that is not 0, as the launch says.
    fn chosen(op: u32, a: u32, b: u32) -> u32 {
        if op == 0 { a + b } else if op == 1 { max(a, b) } else if b == 0 { a } else { b }
    }

    /// The pair that is greater by its first, then by its second.
    fn greater(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
        if a.0 > b.0 { a } else if a.0 < b.0 { b } else if a.1 >= b.1 { a } else { b }
    }

    #[kernel(threads = 96)]
    pub fn chosen_reduced(xs: DPull<u32>, op: u32) -> Program<Device, Pull<u32>> {
        reduce(xs, |a, b| chosen(op, a, b))
    }

    #[kernel(threads = 96)]
    pub fn chosen_scanned(xs: DPull<u32>, op: u32) -> Program<Device, DPull<u32>> {
        scan(xs, |a, b| chosen(op, a, b))
    }

    #[kernel(threads = 96)]
    pub fn chosen_in_segments(xs: DPull<u32>, keys: DPull<u32>, op: u32) -> Program<Device, DPull<u32>> {
        segmented_scan(xs, keys.map(|k| k % 37 == 0), |a, b| chosen(op, a, b))
    }

    #[kernel(threads = 96)]
    pub fn greatest(xs: DPull<(u32, u32)>) -> Program<Device, Pull<(u32, u32)>> {
        reduce(xs, greater)
    }

    #[kernel(threads = 96)]
    pub fn greatest_so_far(xs: DPull<(u32, u32)>) -> Program<Device, DPull<(u32, u32)>> {
        scan(xs, greater)
    }

    #[kernel(threads = 96)]
    pub fn greatest_in_segments(xs: DPull<(u32, u32)>, keys: DPull<u32>) -> Program<Device, DPull<(u32, u32)>> {
        segmented_scan(xs, keys.map(|k| k % 37 == 0), greater)
    }
}

/// The left folds of all beginnings of each segment.
fn in_segments<T: Copy>(xs: &[T], starts: impl Fn(usize) -> bool, f: impl Fn(T, T) -> T) -> Vec<T> {
    let mut out: Vec<T> = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        out.push(if i == 0 || starts(i) { x } else { f(out[i - 1], x) });
    }
    out
}

fn same<T: Element + PartialEq + std::fmt::Debug>(found: Result<Buffer<T>, Error>, expected: &[T], what: &str) {
    let found = found.and_then(|buffer| buffer.to_vec()).unwrap_or_else(|e| panic!("{what}: {e}"));
    let at = found.iter().zip(expected).position(|(a, b)| a != b).map(|at| (at, &found[at], &expected[at]));
    assert!(at.is_none() && found.len() == expected.len(), "{what}, {} elements: {at:?}", expected.len());
}

/// Runs every operator on `n` elements, at least one.
pub fn check_all(device: &Device, n: usize) {
    let keys: Vec<u32> = (0..n).map(super::device_operators::key).collect();
    let by = device.upload(&keys).unwrap();
    let starts = |i: usize| keys[i].is_multiple_of(37);
    // Many are 0, and many alike.
    let xs: Vec<u32> = keys.iter().map(|k| k / 64 % 16 * (k % 2)).collect();
    let on = device.upload(&xs).unwrap();
    for op in 0..3 {
        let f = |a: u32, b: u32| super::device_operators::combined(op, a, b);
        let scanned = in_segments(&xs, |_| false, f);
        same(chosen_reduced.run(device, &on, op), &scanned[n - 1..], &format!("reduce, operator {op}"));
        same(chosen_scanned.run(device, &on, op), &scanned, &format!("scan, operator {op}"));
        let segments = in_segments(&xs, starts, f);
        same(chosen_in_segments.run(device, &on, &by, op), &segments, &format!("segmented_scan, operator {op}"));
    }
    let pairs: Vec<(u32, u32)> = keys.iter().map(|k| (k / 64 % 4, k / 256 % 8)).collect();
    let on = device.upload(&pairs).unwrap();
    let scanned = in_segments(&pairs, |_| false, Ord::max);
    same(greatest.run(device, &on), &scanned[n - 1..], "reduce of pairs");
    same(greatest_so_far.run(device, &on), &scanned, "scan of pairs");
    same(greatest_in_segments.run(device, &on, &by), &in_segments(&pairs, starts, Ord::max), "segmented_scan of pairs");
}
