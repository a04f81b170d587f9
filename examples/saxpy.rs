//! A number times a vector plus another vector, the first line of linear algebra.
//! `cargo run --release --example saxpy [-- ELEMENTS]`, where `OBSIDIAN_BACKEND=cpu|opencl|cuda` chooses where it runs.

use std::error::Error;

use obsidian::{kernel, prelude::*};

#[kernel(threads = 256)]
pub fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
    x.zip_with(y, |x, y| alpha * x + y).push()
}

fn main() -> Result<(), Box<dyn Error>> {
    let elements: usize = std::env::args().nth(1).map_or(Ok(4_000_037), |n| n.parse())?;
    let x: Vec<f32> = (0..elements).map(|i| (i % 1000) as f32 / 7.0).collect();
    let y: Vec<f32> = (0..elements).map(|i| (i % 77) as f32 / 3.0).collect();

    let dev = Device::best()?;
    let (dev_x, dev_y) = (dev.upload(&x)?, dev.upload(&y)?);
    let mut output = saxpy.run(&dev, 1.5, &dev_x, &dev_y)?;
    let start = dev.stream().mark()?;
    saxpy.run_into(&dev, 1.5, &dev_x, &dev_y, &mut output)?;
    let time = dev.stream().mark()?.since(&start)?;

    // Bit for bit: nothing is contracted or rounded otherwise, whatever runs it.
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.5 * x + y).collect();
    if output.to_vec()? != expected {
        return Err("the kernel's result differs from plain Rust's".into());
    }
    let gigabytes = 12.0 * elements as f64 / 1e9;
    let seconds = time.as_secs_f64();
    println!("{elements} elements on {}: {:.3} ms, {:.1} GB/s", dev.name(), seconds * 1e3, gigabytes / seconds);
    Ok(())
}
