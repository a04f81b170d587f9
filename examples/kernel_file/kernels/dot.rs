// Kernels in a file of their own: the build script compiles them with the compiler that the macros use.

use sums::*;

/// The dot product of each 1024 neighbours, the last ones filled up with zeros.
#[kernel(threads = 256)]
pub fn dot(x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
    x.zip_with(y, |a, b| a * b).chunks(1024).as_grid_map(|c| sum(c.pad_to(1024, 0.0)))
}
