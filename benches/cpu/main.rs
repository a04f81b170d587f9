//! The CPU back end beside loops that were written by hand with rayon, without intrinsics: both sides of each row run in turn
//! and must agree; medians, and how far half of the rounds lie apart. `cargo xtask bench cpu` keeps the table as a page of
//! `benches/results`; `cargo bench -p obsidian-benches --bench cpu -- scan` measures the rows with `scan` in their names.

mod blocks;
mod device;
mod kernels;
mod launches;
mod race;
mod streams;
mod threads;

use std::hint::black_box;
use std::time::Instant;

use obsidian::Device;
use rayon::prelude::*;

use race::{Result, TASK};

/// Elements of each input, unless a row says otherwise.
const LEN: usize = 1 << 24;
/// Rounds by which the machine's limits are measured.
const ROUNDS: usize = 15;

fn main() -> Result {
    println!("{}, {} threads, 2^24 elements where nothing else is said", machine(), rayon::current_num_threads());
    limits();
    race::head();
    let dev = Device::cpu();
    streams::rows(&dev)?;
    blocks::rows(&dev)?;
    threads::rows(&dev)?;
    device::rows(&dev)?;
    launches::rows(&dev)
}

/// `i % n / by`.
fn ramp(n: usize, by: f32) -> Vec<f32> {
    (0..LEN).map(|i| (i % n) as f32 / by).collect()
}

/// What the machine can do at most: it copies, and it reads.
fn limits() {
    let x: Vec<u64> = (0..LEN as u64).collect();
    let mut out = vec![0u64; LEN];
    let bytes = (LEN * size_of::<u64>()) as f64;
    let copied = median(|| {
        out.par_chunks_mut(TASK).zip(x.par_chunks(TASK)).for_each(|(out, x)| out.copy_from_slice(x));
    });
    let sum = |x: &[u64]| x.iter().fold(0u64, |sum, &x| sum ^ x);
    let read = median(|| {
        black_box(x.par_chunks(TASK).map(sum).reduce(|| 0, |a, b| a ^ b));
    });
    println!(
        "limits: copies {:.1} GB/s (both ways counted), reads {:.1} GB/s\n",
        2.0 * bytes / copied / 1e9,
        bytes / read / 1e9
    );
}

fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// The processor's name.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}
