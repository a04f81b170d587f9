// Kernels in a file of their own: the build script compiles them with the compiler that the macros use.

use sums::*;

/// The dot product of each 1024 neighbours.
#[kernel(threads = 256)]
pub fn dot(x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
    x.zip_with(y, |a, b| a * b).split_up(1024).as_grid_map(|c| sum(c))
}
