//! What the programs of `programs/src/device_segments.rs` give, by plain Rust. Other types than theirs are in the table of
//! `tests/support/table`.

use obsidian::{Buffer, Device, Element, Params};
use obsidian_programs::device_segments::*;

use crate::device_operators::{combined, key, then};

/// `init`, and what it and all beginnings of `xs` but the whole give.
fn before<T: Copy>(xs: &[T], init: T, f: impl Fn(T, T) -> T) -> Vec<T> {
    let next = |acc: &mut T, x: &T| Some(std::mem::replace(acc, f(*acc, *x)));
    xs.iter().scan(init, next).collect()
}

/// The left folds of all beginnings of each segment.
fn in_segments<T: Copy>(xs: &[T], starts: impl Fn(usize) -> bool, f: impl Fn(T, T) -> T) -> Vec<T> {
    let mut out: Vec<T> = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        out.push(if i == 0 || starts(i) { x } else { f(out[i - 1], x) });
    }
    out
}

fn runs(xs: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &x in xs {
        match runs.last_mut() {
            Some(last) if last.0 == x => last.1 += 1,
            _ => runs.push((x, 1)),
        }
    }
    runs
}

/// Offsets into `n` elements: of segments of all lengths below `longest`, some of them empty or overlapping, one out of order.
fn offsets(n: usize, longest: u32) -> Vec<u32> {
    let mut offsets = vec![0];
    while let Some(&last) = offsets.last().filter(|last| **last < n as u32) {
        let step = if offsets.len() % 5 == 0 { 0 } else { key(offsets.len()) % longest };
        offsets.push((last + step).min(n as u32));
    }
    offsets.push(n as u32 / 3);
    offsets.push(n as u32);
    offsets
}

fn reduced<T: Copy>(xs: &[T], offsets: &[u32], init: T, f: impl Fn(T, T) -> T) -> Vec<T> {
    let part = |w: &[u32]| xs.get(w[0] as usize..w[1] as usize).unwrap_or(&[]);
    offsets.windows(2).map(|w| part(w).iter().fold(init, |a, &b| f(a, b))).collect()
}

fn same<T: Element + PartialEq>(found: &Buffer<T>, expected: &[T], what: &str) {
    assert!(found.len() == expected.len(), "{what}: {} elements, {} expected", found.len(), expected.len());
    let found = found.to_vec().unwrap();
    let at = found.iter().zip(expected).position(|(a, b)| a != b);
    assert!(at.is_none(), "{what}: another element at {at:?}");
}

/// Runs every program on `n` elements.
pub fn check_all(device: &Device, n: usize) {
    of_words(device, n);
    tuples(device, Params { threads: 33 }, n);
    tuples(device, Params { threads: 256 }, n);
    let keys: Vec<u32> = (0..n).map(key).collect();
    let blocks = blocks_in_segments.run(device, &device.upload(&keys).unwrap()).unwrap();
    let parts = keys.chunks(300).flat_map(|part| {
        let sums = before(part, 5, u32::wrapping_add);
        in_segments(&sums, |i| part[i] % 7 == 0, u32::max)
    });
    same(&blocks, &parts.collect::<Vec<_>>(), &format!("{n} in blocks"));
}

fn of_words(device: &Device, n: usize) {
    let xs: Vec<u32> = (0..n).map(|i| key(i) % 16).collect();
    let keys: Vec<u32> = (0..n).map(key).collect();
    let (ours, by) = (device.upload(&xs).unwrap(), device.upload(&keys).unwrap());
    for op in 0..3 {
        let what = format!("{n} elements, operator {op}");
        let f = |a, b| combined(op, a, b);
        let init = 3;
        let kernel = device_before.with(DeviceBeforeParams { OP: op, ..Default::default() });
        same(&kernel.run(device, &ours, init).unwrap(), &before(&xs, init, f), &what);
        for base in [2, 37, 30_011] {
            let kernel = device_in_segments.with(DeviceInSegmentsParams { OP: op, ..Default::default() });
            let expected = in_segments(&xs, |i| keys[i].is_multiple_of(base), f);
            same(&kernel.run(device, &ours, &by, base).unwrap(), &expected, &format!("{what}, base {base}"));
        }
        // A warp and a block for each segment.
        for longest in [90, 9000] {
            let offsets = offsets(n, longest);
            let kernel = device_segments.with(DeviceSegmentsParams { OP: op, ..Default::default() });
            let found = kernel.run(device, &ours, &device.upload(&offsets).unwrap(), init).unwrap();
            same(&found, &reduced(&xs, &offsets, init, f), &format!("{what}, segments below {longest}"));
        }
    }
    // Runs of many lengths, and the longest there can be.
    for shift in [0, 23, 31] {
        let xs: Vec<u32> = keys
            .iter()
            .scan(0u32, |sum, k| {
                *sum = sum.wrapping_add(k >> shift);
                Some(*sum % 1021)
            })
            .collect();
        let found = device_runs.run(device, &device.upload(&xs).unwrap()).unwrap();
        same(&found, &runs(&xs), &format!("runs of {n}, shift {shift}"));
    }
    let mut xs: Vec<u32> = keys.clone();
    let found = device_greatest.run(device, &device.upload(&xs).unwrap()).unwrap();
    xs.sort_unstable_by(|a, b| b.cmp(a));
    xs.truncate(20);
    same(&found, &xs, &format!("the greatest of {n}"));
}

/// Runs the programs of tuples on `n` elements.
pub fn tuples(device: &Device, threads: Params, n: usize) {
    let maps: Vec<(u32, u32)> = (0..n).map(|i| (key(i) | 1, key(i) >> 3)).collect();
    let keys: Vec<u32> = (0..n).map(|i| key(i / 9) % 3).collect();
    let (fs, by) = (device.upload(&maps).unwrap(), device.upload(&keys).unwrap());
    let what = format!("{n} maps, {threads:?}");
    same(&device_maps_before.with(threads).run(device, &fs).unwrap(), &before(&maps, (1, 0), then), &what);
    let expected = in_segments(&maps, |i| keys[i] != keys[i - 1], then);
    same(&device_maps_by_key.with(threads).run(device, &by, &fs).unwrap(), &expected, &what);
    for longest in [90, 9000] {
        let offsets = offsets(n, longest);
        let found = device_maps_in_segments.with(threads).run(device, &fs, &device.upload(&offsets).unwrap()).unwrap();
        same(&found, &reduced(&maps, &offsets, (1, 0), then), &what);
    }
    let pairs: Vec<(u32, i64)> = (0..n).map(|i| (key(i), i as i64)).collect();
    let on = device.upload(&pairs).unwrap();
    for columns in [1, 3, 15, 16, 17, 255, 257, n.max(1)].into_iter().filter(|columns| n.is_multiple_of(*columns)) {
        let turned: Vec<(u32, i64)> =
            (0..columns).flat_map(|c| pairs.iter().skip(c).step_by(columns)).copied().collect();
        let found = device_turned.with(threads).run(device, &on, columns as u32).unwrap();
        same(&found, &turned, &format!("{n} pairs in {columns} columns, {threads:?}"));
    }
    let mut sorted = pairs.clone();
    sorted.sort_by_key(|pair| pair.0 % 1013);
    for k in [0, 1, 32, 33, 128, 129, 2000] {
        let found = device_first_by_key.run(device, &on, k).unwrap();
        same(&found, &sorted[..n.min(k as usize)], &format!("the first {k} of {n} pairs, {threads:?}"));
    }
}
