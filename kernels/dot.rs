// Kernels in a file of their own: `build.rs` compiles them with the compiler that the macros use.

/// The dot product of each 1024 neighbours: every thread adds 4 products, then the block reduces.
#[kernel(threads = 256)]
pub fn dot(x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
    x.zip_with(y, |a, b| a * b).split_up(1024).as_grid_map(|c| red_coalesced(c, 4, |a, b| a + b))
}
