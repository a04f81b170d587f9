//! The sums of all beginnings of an array of any length: `cargo run --release --example prefix_sum [-- COUNT]`.
//!
//! `scan` is one name at every level; at `Device` it takes arrays of any length. Its operator need only associate.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn prefix_sums(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        scan(xs, |a, b| a + b)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let count: u32 = std::env::args().nth(1).map_or(Ok(1_000_003), |count| count.parse())?;
    let data: Vec<u32> = (0..count).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();

    let dev = Device::best()?;
    let sums = prefix_sums.run(&dev, &dev.upload(&data)?)?.to_vec()?;
    println!("{}: {count} numbers, their sum is {:?}", dev.name(), sums.last());

    let mut sum = 0u32;
    for (&x, &found) in data.iter().zip(&sums) {
        sum = sum.wrapping_add(x);
        if found != sum {
            return Err(format!("the kernel finds {found}, plain Rust {sum}").into());
        }
    }
    Ok(())
}
