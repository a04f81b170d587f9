//! Five algorithms as one would launch them on a GPU: several elements a thread, wide loads, few barriers. `cargo xtask
//! static-bench` holds their PTX beside hand-written CUDA of `benches/cuda`.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_reduce(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(4096).as_grid_map(|c| red_coalesced(c, 16, |a, b| a + b))
    }

    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_scan(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(4096).as_grid_map(|c| exec_block(scan_sklansky2(c, |a, b| a + b)))
    }

    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_transpose(input: Pull<f32, 65536>) -> Push<Grid, f32> {
        input.transpose_tiled(256, 32)
    }

    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_saxpy(a: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| a * x + y).split_up(1024).as_grid_map(|c| c.split_up(4).as_block_map(|four| four.push()))
    }

    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_sort(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.sort_bitonic()))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![tuned_reduce.kernel(), tuned_scan.kernel(), tuned_transpose.kernel(), tuned_saxpy.kernel(), tuned_sort.kernel()]
}
