//! The sum of many numbers: blocks reduce their part, the host adds what they give.
//! `cargo run --release --example fold_sum [-- ELEMENTS]`, where `OBSIDIAN_BACKEND=cpu|opencl|cuda` chooses where it runs.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// The sum of each 4096 neighbours, the last ones filled up with zeros: a thread adds 16 elements, then the block's threads
    /// add in pairs.
    #[kernel(threads = 256)]
    pub fn fold_sum(input: DPull<f32>) -> DPush<Grid, f32> {
        input.chunks(4096).as_grid_map(|chunk| {
            let sums = chunk.pad_to(4096, 0.0).coalesce(16).as_block_map(|own| exec_thread(own.seq_reduce(|a, b| a + b))).compute();
            reduce(sums, |a, b| a + b)
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let elements: usize = std::env::args().nth(1).map_or(Ok(4_000_037), |n| n.parse())?;
    // Small whole numbers: every order of adding gives the same.
    let values: Vec<f32> = (0..elements).map(|i| (i % 4) as f32).collect();

    let dev = Device::best()?;
    let input = dev.upload(&values)?;
    let mut sums = fold_sum.run(&dev, &input)?;
    let start = dev.stream().mark()?;
    fold_sum.run_into(&dev, &input, &mut sums)?;
    let time = dev.stream().mark()?.since(&start)?;

    let sum: f64 = sums.to_vec()?.into_iter().map(f64::from).sum();
    let expected: f64 = values.iter().copied().map(f64::from).sum();
    if sum != expected {
        return Err(format!("the kernel's sum is {sum}, plain Rust's {expected}").into());
    }
    println!("sum of {elements} numbers on {}: {sum}, {:.3} ms", dev.name(), time.as_secs_f64() * 1e3);
    Ok(())
}
