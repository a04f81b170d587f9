//! The inner product of two vectors: `zip_with` makes no array, it fuses into the reduction.
//! `cargo run --release --example dot_product [-- ELEMENTS]`, where `OBSIDIAN_BACKEND=cpu|opencl|cuda` chooses where it runs.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// The inner products of each 4096 neighbours, the last ones filled up with zeros.
    #[kernel(threads = 256)]
    pub fn dot_product(x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        let products = x.zip_with(y, |a, b| a * b);
        products.chunks(4096).as_grid_map(|chunk| red6(chunk.pad_to(4096, 0.0), |a, b| a + b))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let elements: usize = std::env::args().nth(1).map_or(Ok(4_000_037), |n| n.parse())?;
    // Small whole numbers: every order of adding gives the same.
    let x: Vec<f32> = (0..elements).map(|i| (i % 7) as f32 - 2.0).collect();
    let y: Vec<f32> = (0..elements).map(|i| (i % 5) as f32).collect();

    let dev = Device::best()?;
    let (dev_x, dev_y) = (dev.upload(&x)?, dev.upload(&y)?);
    let mut parts = dot_product.run(&dev, &dev_x, &dev_y)?;
    let start = dev.stream().mark()?;
    dot_product.run_into(&dev, &dev_x, &dev_y, &mut parts)?;
    let time = dev.stream().mark()?.since(&start)?;

    let found: f64 = parts.to_vec()?.into_iter().map(f64::from).sum();
    let expected: f64 = x.iter().zip(&y).map(|(a, b)| f64::from(a * b)).sum();
    if found != expected {
        return Err(format!("the kernel's product is {found}, plain Rust's {expected}").into());
    }
    println!("x . y of {elements} elements on {}: {found}, {:.3} ms", dev.name(), time.as_secs_f64() * 1e3);
    Ok(())
}
