//! The kernels, and programs of several launches. `SIDE` is the square root of the number of elements: the matrix's width, and what a block reduces, so that
//! two launches reduce everything.

use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 256)]
    pub fn saxpy(a: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| a * x + y).split_up(1024).as_grid_map(|c| c.runs(4))
    }

    #[kernel(threads = 256)]
    pub fn reversed(input: DPull<u32>) -> DPush<Grid, u32> {
        input.reverse().split_up(1024).as_grid_map(|c| c.runs(4))
    }

    #[kernel(threads = 256, SIDE = [16384, 4096], N = [268435456, 16777216], where(N == SIDE * SIDE))]
    pub fn transposed<const SIDE: u32, const N: u32>(input: Pull<f32, N>) -> Push<Grid, f32> {
        input.transpose_tiled(SIDE, 32)
    }

    #[kernel(threads = 256, SIDE = [16384, 4096])]
    pub fn sums<const SIDE: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(SIDE).as_grid_map(|c| reduce_block(c, |a, b| a + b))
    }

    #[kernel(threads = 256)]
    pub fn scanned(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(4096).as_grid_map(|c| scan_block(c, |a, b| a + b))
    }

    #[kernel]
    pub fn all_sums(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        scan(xs, |a, b| a + b)
    }

    #[kernel]
    pub fn ordered(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        sort(xs)
    }

    #[kernel]
    pub fn thirds(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        filter(xs, |x| x % 3 == 0)
    }

    #[kernel]
    pub fn bytes(xs: DPull<u32>) -> Program<Device, Pull<u32>> {
        histogram(xs.map(|x| x % 256), 256)
    }

    #[kernel]
    pub fn firsts(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        unique(xs)
    }
}

/// Every kernel of this file.
pub fn all() -> [&'static obsidian::Kernel; 5] {
    [saxpy.kernel(), reversed.kernel(), transposed.kernel(), sums.kernel(), scanned.kernel()]
}
