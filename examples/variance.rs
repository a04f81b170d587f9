//! Mean and variance of many numbers, a program of several launches: `cargo run --release --example variance [-- COUNT]`. Their sum and
//! the greatest of them is another.
//!
//! The level `Device` is above `Grid`: each `compute` there is a launch, and so `sum` and `maximum` are some. The guide's page "Above
//! the grid" is about it.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn sum_and_greatest(xs: DPull<f32>) -> Program<Device, (f32, f32)> {
        (xs.sum(), xs.maximum())
    }

    /// The sum, in two launches, divided by how many there are.
    fn mean_of(xs: DPull<f32>) -> Program<Device, f32> {
        xs.sum() / xs.len() as f32
    }

    /// The mean stays on the device: the second reduction reads it there, and the squares are stored nowhere.
    #[kernel]
    pub fn variance(xs: DPull<f32>) -> Program<Device, (f32, f32)> {
        let mean = mean_of(xs);
        (mean, mean_of(xs.map(|x| (x - mean) * (x - mean))))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(1_000_003), |count| count.parse())?;
    let data: Vec<f32> = (0..count).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 16) as f32 / 65536.0).collect();
    let dev = Device::best()?;
    let xs = dev.upload(&data)?;
    let (mean, spread) = variance.run(&dev, &xs)?;
    let (mean, spread) = (mean.to_vec()?[0], spread.to_vec()?[0]);
    println!("{}: {count} numbers, mean {mean}, variance {spread}", dev.name());
    print!("{}", variance.report().split_inclusive("\n\n").next().unwrap_or_default());

    let n = data.len() as f64;
    let exact = data.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
    let expected = data.iter().map(|&x| (f64::from(x) - exact).powi(2)).sum::<f64>() / n;
    if (f64::from(mean) - exact).abs() > 1e-3 || (f64::from(spread) - expected).abs() > 1e-3 {
        return Err(format!("plain Rust finds {exact} and {expected}").into());
    }
    // There is no greatest of none.
    let Some(greatest) = data.iter().copied().reduce(f32::max) else { return Ok(()) };
    let (sum, found) = sum_and_greatest.run(&dev, &xs)?;
    let (sum, found) = (sum.to_vec()?[0], found.to_vec()?[0]);
    println!("their sum is {sum}, the greatest {found}");
    if (f64::from(sum) / n - exact).abs() > 1e-3 || found != greatest {
        return Err(format!("plain Rust finds a sum of {}, and {greatest}", exact * n).into());
    }
    Ok(())
}
