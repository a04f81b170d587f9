//! What the programs of `programs/src/device_papers.rs` give, by plain Rust.

use obsidian::{Device, Params};
use obsidian_programs::device_papers::*;

/// Runs some of the programs on these numbers, in blocks of that number of threads.
type Check = fn(&Device, u32, &[u32]);

/// All of them, by name.
pub const CHECKS: [(&str, Check); 4] =
    [("reductions", reductions), ("scan", scan), ("prefix", prefix), ("large sort", sort)];

/// Threads of each program's variants.
const THREADS: [u32; 2] = [256, 33];

/// Around the chunks of 512 to 4096 elements; with 5000 every step of the sort is taken.
pub const LENGTHS: [usize; 8] = [0, 1, 31, 511, 1024, 1025, 5000, 16_385];

/// Runs every program on `n` elements.
pub fn check_all(device: &Device, n: usize) {
    CHECKS.iter().for_each(|(_, check)| check_one(device, *check, n));
}

/// Runs one check on `n` elements.
pub fn check_one(device: &Device, check: Check, n: usize) {
    let numbers: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    THREADS.iter().for_each(|&threads| check(device, threads, &numbers));
}

fn reductions(device: &Device, threads: u32, xs: &[u32]) {
    let on = device.upload(xs).unwrap();
    let sum = large_reduction.with(Params { threads }).run(device, &on).unwrap().to_vec().unwrap();
    let expected: Vec<u32> = xs.iter().copied().reduce(u32::wrapping_add).into_iter().collect();
    assert_eq!(sum, expected, "{} elements", xs.len());
    let kernel = large_reduction_adapted.with(LargeReductionAdaptedParams { threads, ..Default::default() });
    match (kernel.run(device, &on), xs.iter().max()) {
        (Ok(most), Some(expected)) => assert_eq!(most.to_vec().unwrap(), [*expected], "{} elements", xs.len()),
        (Err(error), None) => {
            assert!(error.to_string().contains("the length of `xs` must be at least 1, found 0"), "{error}");
        }
        (Err(error), Some(_)) => panic!("{} elements: {error}", xs.len()),
        (Ok(_), None) => panic!("nothing has no greatest element"),
    }
}

/// The sums of all beginnings.
fn sums(xs: &[u32]) -> Vec<u32> {
    let add = |sum: &mut u32, x: &u32| {
        *sum = sum.wrapping_add(*x);
        Some(*sum)
    };
    xs.iter().scan(0, add).collect()
}

fn scan(device: &Device, threads: u32, xs: &[u32]) {
    let on = device.upload(xs).unwrap();
    let found = large_scan.with(Params { threads }).run(device, &on).unwrap().to_vec().unwrap();
    assert!(found == sums(xs), "{} elements, {threads} threads", xs.len());
}

fn prefix(device: &Device, threads: u32, xs: &[u32]) {
    let (on, expected) = (device.upload(xs).unwrap(), sums(xs));
    for way in 0..4 {
        let kernel = large_prefix.with(LargePrefixParams { threads, WAY: way });
        let found = kernel.run(device, &on).unwrap().to_vec().unwrap();
        assert!(found == expected, "{} elements, {threads} threads, way {way}", xs.len());
    }
}

fn sort(device: &Device, threads: u32, xs: &[u32]) {
    let on = device.upload(xs).unwrap();
    let mut expected = xs.to_vec();
    expected.sort_unstable();
    let found = large_sort.with(Params { threads }).run(device, &on).unwrap().to_vec().unwrap();
    assert!(found == expected, "{} elements, {threads} threads", xs.len());
    assert!(on.to_vec().unwrap() == xs, "inputs are left alone");
}
