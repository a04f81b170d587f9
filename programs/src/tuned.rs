//! Algorithms as one would launch them on a GPU: several elements per thread, wide loads, few barriers. `cargo
//! xtask static-bench` holds their PTX beside hand-written CUDA of `benches/cuda`.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_reduce(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(4096).as_grid_map(|c| reduce_block(c, |a, b| a + b))
    }

    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_scan(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(4096).as_grid_map(|c| scan_block(c, |a, b| a + b))
    }

    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_transpose(input: Pull<f32, 65536>) -> Push<Grid, f32> {
        input.transpose_tiled(256, 32)
    }

    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_saxpy(a: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| a * x + y).split_up(1024).as_grid_map(|c| c.runs(4))
    }

    #[kernel(threads = [256, 33, 64])]
    pub fn tuned_sort(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.sort_bitonic()))
    }

    /// More shared memory than a block has on a GPU without asking: 64 KiB.
    #[kernel(threads = [256, 33, 64], shared = 65536)]
    pub fn both_ways(input: DPull<u64>) -> DPush<Grid, u64> {
        input.split_up(4096).as_grid_map(|c| {
            let there = c.map(|x| x + 1).compute();
            let back = there.reverse().compute();
            there.zip_with(back, |x, y| x * 3 + y).push()
        })
    }

    /// A scan keeps the order: affine maps do not commute.
    #[kernel(threads = [64, 33])]
    pub fn tuned_scan_compose(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(1536).as_grid_map(|c| scan_block(c, |f, g| (f.0 * g.0, f.1 * g.0 + g.1)))
    }

    #[kernel(threads = [64, 33])]
    pub fn tuned_reduce_pair(input: DPull<(u8, f64)>) -> DPush<Grid, (u8, f64)> {
        input.split_up(1024).as_grid_map(|c| reduce_block(c, |a, b| (a.0 + b.0, max(a.1, b.1))))
    }

    /// From sm_80 on a warp reduces words in one instruction.
    #[kernel(threads = [64, 33], target = "sm_80")]
    pub fn tuned_redux(input: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>) {
        let chunks = input.split_up(1024);
        (
            chunks.as_grid_map(|c| reduce_block(c, |a, b| a + b)),
            chunks.as_grid_map(|c| c.split_up(128).as_block_map(|w| reduce_lanes(w, |a, b| min(a, b)))),
        )
    }

    /// Two neighbours per thread, from a place that is only a multiple of 2 on; a mirror; a thread that folds 64 neighbours.
    #[kernel(threads = [64, 33])]
    pub fn tuned_neighbours(input: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>, DPush<Grid, i64>) {
        let chunks = input.split_up(128);
        let pairs = mk_pull(input.len() / 128, |b| mk_pull(128, |i| input[128 * b + (i + 126) % 128]));
        (
            pairs.as_grid_map(|c| c.runs(2)),
            input.reverse().map(|x| 3 * x).split_up(128).as_grid_map(|c| c.runs(8)),
            chunks.as_grid_map(|c| c.split_up(64).as_block_map(|p| exec_thread(p.map(|x| x as i64).seq_reduce(|a, b| a ^ b)))),
        )
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        tuned_reduce.kernel(),
        tuned_scan.kernel(),
        tuned_transpose.kernel(),
        tuned_saxpy.kernel(),
        tuned_sort.kernel(),
        both_ways.kernel(),
        tuned_scan_compose.kernel(),
        tuned_reduce_pair.kernel(),
        tuned_redux.kernel(),
        tuned_neighbours.kernel(),
    ]
}
