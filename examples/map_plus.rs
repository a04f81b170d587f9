//! The smallest kernel: adds a number to each element. `cargo run --release --example map_plus [-- ELEMENTS]`
//!
//! `OBSIDIAN_BACKEND=cpu|opencl|cuda` chooses where it runs. The first of the programs of Accelerate's OpenCL report (2011).

use std::error::Error;

use obsidian::{kernel, prelude::*};

#[kernel(threads = 256)]
pub fn map_plus(k: i32, input: DPull<i32>) -> DPush<Grid, i32> {
    input.map(|x| x + k).push()
}

fn main() -> Result<(), Box<dyn Error>> {
    let elements: usize = std::env::args().nth(1).map_or(Ok(4_000_037), |n| n.parse())?;
    let values: Vec<i32> = (0..elements as i32).collect();

    let dev = Device::best()?;
    let input = dev.upload(&values)?;
    // The first launch loads the kernel; the second is timed.
    let mut output = map_plus.run(&dev, 7, &input)?;
    let start = dev.stream().mark()?;
    map_plus.run_into(&dev, 7, &input, &mut output)?;
    let time = dev.stream().mark()?.since(&start)?;

    let expected: Vec<i32> = values.iter().map(|x| x + 7).collect();
    if output.to_vec()? != expected {
        return Err("the kernel's result differs from plain Rust's".into());
    }
    println!("{} elements on {}: {:.3} ms, as in plain Rust", values.len(), dev.name(), time.as_secs_f64() * 1e3);
    Ok(())
}
