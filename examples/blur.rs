//! A picture of any size, blurred: `cargo run --release --example blur [-- HEIGHT WIDTH]`.
//!
//! `stencil_2d(1, 1, f)` gives `f` the 3 x 3 pixels around each one. Beyond an edge the edge is repeated; with
//! `stencil_2d_fill`, `_wrap` and `_mirror` there is something else.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    fn mean(near: Pull<Pull<f32>>) -> f32 {
        let sums = near.map(|row| row[0] + row[1] + row[2]);
        (sums[0] + sums[1] + sums[2]) / 9.0
    }

    #[kernel(threads = 256)]
    pub fn blur(picture: DMat<f32>) -> PushMat<Grid, f32> {
        picture.stencil_2d(1, 1, mean).push()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let height = args.next().unwrap_or(Ok(641))?;
    let width = args.next().unwrap_or(Ok(479))?;
    // A disc in grey.
    let pixel = |y: usize, x: usize| {
        if (2 * y).abs_diff(height).pow(2) + (2 * x).abs_diff(width).pow(2) < 160_000 { 200.0 } else { 40.0 }
    };
    let picture: Vec<f32> = (0..height).flat_map(|y| (0..width).map(move |x| pixel(y, x))).collect();

    let dev = Device::best()?;
    let blurred = blur.run(&dev, &dev.upload_matrix(&picture, height, width)?)?;
    println!("{}: a picture of {} x {} pixels, blurred", dev.name(), blurred.rows(), blurred.cols());

    let near = |i: usize, d: usize, n: usize| (i + d).saturating_sub(1).min(n - 1);
    for (i, found) in blurred.to_vec()?.into_iter().enumerate() {
        let (y, x) = (i / width, i % width);
        let cells = (0..3).flat_map(|a| (0..3).map(move |b| (a, b)));
        let sum: f32 = cells.map(|(a, b)| picture[near(y, a, height) * width + near(x, b, width)]).sum();
        if found != sum / 9.0 {
            return Err(format!("pixel ({y}, {x}) is {found}, in plain Rust {}", sum / 9.0).into());
        }
    }
    Ok(())
}
