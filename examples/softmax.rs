//! Softmax of each row of a matrix of any shape: `cargo run --release --example softmax [-- ROWS COLUMNS]`.
//!
//! A block for each row, whatever its width: `reduce` folds it by all threads of the block, and `first` gives the result to
//! each of them. The powers are stored nowhere, but computed where they are used.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 256)]
    pub fn softmax(scores: DMat<f32>) -> PushMat<Grid, f32> {
        scores.as_grid_rows(|row| {
            let top = reduce(row, |a, b| max(a, b)).first();
            let powers = row.map(|x| exp(x - top));
            let sum = reduce(powers, |a, b| a + b).first();
            powers.map(|x| x / sum).push()
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let rows = args.next().unwrap_or(Ok(100))?;
    let cols = args.next().unwrap_or(Ok(1003))?;
    let scores: Vec<f32> = (0..rows * cols).map(|i| (i * 7919 % 1000) as f32 / 100.0).collect();

    let dev = Device::best()?;
    let found = softmax.run(&dev, &dev.upload_matrix(&scores, rows, cols)?)?;
    println!("{}: softmax of {} rows of {}", dev.name(), found.rows(), found.cols());

    for (row, found) in scores.chunks(cols.max(1)).zip(found.to_vec()?.chunks(cols.max(1))) {
        let sum: f64 = row.iter().map(|&x| f64::from(x).exp()).sum();
        for (&x, &found) in row.iter().zip(found) {
            let expected = f64::from(x).exp() / sum;
            if (f64::from(found) - expected).abs() > 1e-5 * expected {
                return Err(format!("the kernel finds {found}, plain Rust {expected}").into());
            }
        }
    }
    Ok(())
}
