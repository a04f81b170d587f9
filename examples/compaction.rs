//! Some elements of an array of any length, in their order: `cargo run --release --example compaction [-- COUNT]`.
//!
//! At the level `Device` `filter` gives an array of just the elements that stay, and `partition` those that do not as well.
//! Both are several launches of one program.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn peaks(samples: DPull<f32>, limit: f32) -> Program<Device, DPull<(u32, f32)>> {
        let numbered = mk_pull(samples.len(), |i| (i, samples[i]));
        filter(numbered, |sample| sample.1 > limit)
    }

    #[kernel]
    pub fn even_and_odd(xs: DPull<u32>) -> Program<Device, (DPull<u32>, DPull<u32>)> {
        partition(xs, |x| x % 2 == 0)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let count: u32 = std::env::args().nth(1).map_or(Ok(1_000_003), |count| count.parse())?;
    let numbers: Vec<u32> = (0..count).map(|i| i.wrapping_mul(2_654_435_761) >> 12).collect();
    let samples: Vec<f32> = numbers.iter().map(|&x| x as f32 / 1_048_576.0).collect();

    let dev = Device::best()?;
    let found = peaks.run(&dev, &dev.upload(&samples)?, 0.99)?.to_vec()?;
    println!("{}: {} of {count} samples are above 0.99", dev.name(), found.len());
    let expected: Vec<(u32, f32)> = (0..).zip(samples).filter(|sample| sample.1 > 0.99).collect();
    if found != expected {
        return Err(format!("plain Rust finds {} samples", expected.len()).into());
    }

    let (even, odd) = even_and_odd.run(&dev, &dev.upload(&numbers)?)?;
    let expected: (Vec<u32>, Vec<u32>) = numbers.iter().partition(|&x| x % 2 == 0);
    if (even.to_vec()?, odd.to_vec()?) != expected {
        return Err("plain Rust parts the numbers otherwise".into());
    }
    Ok(())
}
