//! The product of two matrices of any shape: `cargo run --release --example matrix_product [-- ROWS INNER COLUMNS]`.
//!
//! A block for each row of the result, a thread for each of its elements. Neighbouring threads read neighbouring elements of
//! `b`, and all threads of a block the same row of `a`.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// The inner product of a row and a column.
    fn inner(row: DPull<f32>, col: DPull<f32>) -> Program<Thread, f32> {
        row.zip_with(col, |x, y| x * y).foldl(0.0, |sum, x| sum + x)
    }

    #[kernel(threads = 256)]
    pub fn product(a: DMat<f32>, b: DMat<f32>) -> PushMat<Grid, f32> {
        a.as_grid_rows(|row| b.transpose().as_block_map(|col| exec_thread(inner(row, col))))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let rows = args.next().unwrap_or(Ok(127))?;
    let inner = args.next().unwrap_or(Ok(301))?;
    let cols = args.next().unwrap_or(Ok(203))?;
    // Small whole numbers, whose sums are exact.
    let values = |n: usize, by: usize| -> Vec<f32> { (0..n).map(|i| (i * by % 13) as f32).collect() };
    let (a, b) = (values(rows * inner, 7), values(inner * cols, 11));

    let dev = Device::best()?;
    let c = product.run(&dev, &dev.upload_matrix(&a, rows, inner)?, &dev.upload_matrix(&b, inner, cols)?)?;
    println!("{}: {rows} x {inner} times {inner} x {cols} is {} x {}", dev.name(), c.rows(), c.cols());

    for (i, found) in c.to_vec()?.into_iter().enumerate() {
        let (row, col) = (i / cols, i % cols);
        let expected: f32 = (0..inner).map(|k| a[row * inner + k] * b[k * cols + col]).sum();
        if found != expected {
            return Err(format!("element ({row}, {col}) is {found}, in plain Rust {expected}").into());
        }
    }
    Ok(())
}
