//! The first result: `cargo run --release --example quickstart [-- --file PATH]`.
//!
//! Runs the paper's `reductions` (JFP 2016 §3), then sums the 32-bit words of a file, or 2^24 + 3 generated numbers, and
//! checks the sum against plain Rust.

use std::error::Error;
use std::time::{Duration, Instant};

use obsidian::prelude::*;

kernel! {
    /// Tree reduction of a power-of-two array, at any level that can compute.
    fn reduce<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
        if xs.len() == 1 {
            xs.push()
        } else {
            let (lo, hi) = xs.halve();
            reduce(f, lo.zip_with(hi, f).compute())
        }
    }

    /// The sum of each 512 neighbours; zeros fill the last ones up.
    #[kernel(threads = 64)]
    pub fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
        input.chunks(512).as_grid_map(|chunk| exec_block(reduce(|a, b| a + b, chunk.pad_to(512, 0))))
    }

    /// The sum of each 4096 neighbours: every thread adds 16 elements, then the block reduces (`red6` of the paper).
    #[kernel(threads = 256)]
    pub fn sums(input: DPull<u32>) -> DPush<Grid, u32> {
        input.chunks(4096).as_grid_map(|chunk| red6(chunk.pad_to(4096, 0), |a, b| a + b))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let dev = Device::best()?;
    let input = dev.upload(&(0..1000).collect::<Vec<i32>>())?;
    println!("{:?}", reductions.run(&dev, &input)?.to_vec()?);

    let words = words()?;
    let expected = words.iter().fold(0u32, |a, &b| a.wrapping_add(b));
    let count = words.len();
    let input = dev.upload(&words)?;
    let (sum, time) = sum(&dev, &input)?;
    if sum != expected {
        return Err(format!("the kernel's sum is {sum}, plain Rust's is {expected}").into());
    }
    let bytes = 4.0 * count as f64;
    println!("sum of {count} words: {sum}, as in plain Rust");
    println!("{}: {:.3} ms, {:.1} GB/s", dev.name(), time.as_secs_f64() * 1e3, bytes / time.as_secs_f64() / 1e9);
    Ok(())
}

/// Sums on the device until one number is left; the best time of a few.
fn sum(dev: &Device, input: &Buffer<u32>) -> Result<(u32, Duration), Box<dyn Error>> {
    let mut partial = dev.alloc::<u32>(input.len().div_ceil(4096))?;
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        sums.run_into(dev, input, &mut partial)?;
        dev.synchronize()?;
        best = best.min(start.elapsed());
    }
    // One partial sum per block is left: few enough for the host.
    let sum = partial.to_vec()?.into_iter().fold(0u32, u32::wrapping_add);
    Ok((sum, best))
}

/// The 32-bit little-endian words of `--file PATH`, the last filled with zeros; or 2^24 + 3 generated numbers.
fn words() -> Result<Vec<u32>, Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Ok((0..(1u32 << 24) + 3).map(|i| i.wrapping_mul(2_654_435_761)).collect()),
        ["--file", path] => {
            let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
            let word = |chunk: &[u8]| {
                let mut w = [0; 4];
                w[..chunk.len()].copy_from_slice(chunk);
                u32::from_le_bytes(w)
            };
            Ok(bytes.chunks(4).map(word).collect())
        }
        _ => Err("usage: quickstart [--file PATH]".into()),
    }
}
