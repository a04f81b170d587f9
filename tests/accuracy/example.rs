//! Measures the library's functions over all `f32` and on the table of `f64`, and prints the worst of each:
//! `cargo xtask accuracy [STRIDE]`, or `cargo run --release -p obsidian-tests --example accuracy [-- STRIDE]`; a stride of 1 is every `f32`.

use std::error::Error;

use obsidian::Device;

#[path = "measure.rs"]
mod measure;

fn main() -> Result<(), Box<dyn Error>> {
    let stride = std::env::args().nth(1).map_or(Ok(1), |s| s.parse::<std::num::NonZeroUsize>().map(usize::from))?;
    let dev = Device::best()?;
    let found = [measure::single(&dev, stride)?, measure::double(&dev)?].concat();
    println!("{:12} {:>6} {:>6}  at", "function", "ulp", "limit");
    for w in &found {
        println!("{:12} {:6.3} {:6}  {}", w.name, w.ulps, w.limit, w.at);
    }
    if found.iter().all(|w| w.ulps <= w.limit) {
        Ok(())
    } else {
        Err("a function is further off than it promises".into())
    }
}
