//! An array of any length, sorted: `cargo run --release --example sort [-- COUNT]`.
//!
//! At the level `Device` `sort`, `sort_by` and `sort_by_key` are stable and take any length. Blocks sort parts of the array in their
//! shared memory; then pairs of parts are merged, launch after launch.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn sorted(xs: DPull<i32>) -> Program<Device, DPull<i32>> {
        sort(xs)
    }

    /// Places and times of arrival, by time; of one time in the order in which they came.
    #[kernel]
    pub fn by_time(arrivals: DPull<(u32, f32)>) -> Program<Device, DPull<(u32, f32)>> {
        sort_by_key(arrivals, |arrival| arrival.1)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let count: u32 = std::env::args().nth(1).map_or(Ok(100_003), |count| count.parse())?;
    let mut numbers: Vec<i32> = (0..count).map(|i| i.wrapping_mul(2_654_435_761) as i32).collect();
    // Many of one time.
    let mut arrivals: Vec<(u32, f32)> = (0..count).map(|i| (i, (i.wrapping_mul(7919) % 1000) as f32 / 8.0)).collect();

    let dev = Device::best()?;
    let found = sorted.run(&dev, &dev.upload(&numbers)?)?.to_vec()?;
    println!("{}: {count} numbers from {:?} to {:?}", dev.name(), found.first(), found.last());
    numbers.sort();
    if found != numbers {
        return Err("plain Rust sorts the numbers otherwise".into());
    }

    let found = by_time.run(&dev, &dev.upload(&arrivals)?)?.to_vec()?;
    arrivals.sort_by(|a, b| a.1.total_cmp(&b.1));
    if found != arrivals {
        return Err("plain Rust sorts the arrivals otherwise".into());
    }
    Ok(())
}
