//! A kernel in a file, compiled by a build script: its entry launches like any other, and its texts are files in `OUT_DIR`.
//! `cargo run --release -p obsidian-kernel-file --example kernel_file`

use std::error::Error;

use obsidian::prelude::*;

/// What the build script made of `kernels/dot.rs`.
mod kernels {
    obsidian::include_kernels!("dot");
}

const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/obsidian/dot.ptx"));
const CUDA: &str = include_str!(concat!(env!("OUT_DIR"), "/obsidian/dot.cu"));

fn main() -> Result<(), Box<dyn Error>> {
    let dev = Device::best()?;
    let x: Vec<f32> = (0..5003).map(|i| (i % 7) as f32).collect();
    let y: Vec<f32> = (0..5003).map(|i| (i % 5) as f32).collect();
    let parts = kernels::dot.run(&dev, &dev.upload(&x)?, &dev.upload(&y)?)?.to_vec()?;
    let expected: Vec<f32> =
        x.chunks(1024).zip(y.chunks(1024)).map(|(x, y)| x.iter().zip(y).map(|(a, b)| a * b).sum()).collect();
    println!("dot.ptx has {} lines, dot.cu {}", PTX.lines().count(), CUDA.lines().count());
    println!("{parts:?} on {}", dev.name());
    // Small whole numbers: every order of adding gives the same.
    if parts != expected {
        return Err(format!("expected {expected:?}").into());
    }
    Ok(())
}
