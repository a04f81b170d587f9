//! Pi by throwing darts: `cargo run --release --example pi [-- SAMPLES]`.
//!
//! A number for each dart is made of its index alone, so the result is the same on every device. Nothing is stored but one count.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// Bits that look like chance.
    fn mixed(i: u32) -> u32 {
        let a = (i ^ (i >> 16)) * 0x7feb352d;
        let b = (a ^ (a >> 15)) * 0x846ca68b;
        b ^ (b >> 16)
    }

    /// Whether dart `i` hits the quarter of a disc. Its place is two numbers of 16 bits.
    fn hit(i: u32) -> u32 {
        let bits = mixed(i);
        let (x, y) = ((bits >> 16) as u64, (bits & 0xffff) as u64);
        if x * x + y * y < 1 << 32 { 1 } else { 0 }
    }

    #[kernel]
    pub fn hits(samples: u32) -> Program<Device, u32> {
        mk_pull(samples, hit).sum()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let samples: u32 = std::env::args().nth(1).map_or(Ok(1_000_003), |count| count.parse())?;
    let dev = Device::best()?;
    let found = hits.run(&dev, samples)?.to_vec()?[0];
    let pi = 4.0 * f64::from(found) / f64::from(samples);
    println!("{}: {found} of {samples} darts hit, so pi is about {pi}", dev.name());

    let mixed = |i: u32| {
        let a = (i ^ (i >> 16)).wrapping_mul(0x7feb352d);
        let b = (a ^ (a >> 15)).wrapping_mul(0x846ca68b);
        b ^ (b >> 16)
    };
    let hit = |i: &u32| u64::from(mixed(*i) >> 16).pow(2) + u64::from(mixed(*i) & 0xffff).pow(2) < 1 << 32;
    let expected = (0..samples).filter(hit).count();
    if found as usize != expected {
        return Err(format!("plain Rust counts {expected}").into());
    }
    Ok(())
}
