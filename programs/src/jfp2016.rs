//! The programs of "A language for nested data parallel design-space exploration on GPUs" (JFP 2016), with the
//! names of docs/src/reference.md.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// Tree reduction of a power-of-two array, at any level that can compute (JFP 2016 §3).
    fn halving<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
        if xs.len() == 1 {
            xs.push()
        } else {
            let (lo, hi) = xs.halve();
            halving(f, lo.zip_with(hi, f).compute())
        }
    }

    /// JFP 2016 §3.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| exec_block(halving(|a, b| a + b, chunk)))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn reduction_4096(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(4096).as_grid_map(|chunk| exec_block(halving(|a, b| a + b, chunk)))
    }

    /// JFP 2016 §6.2.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sum_red1(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red1(c, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sum_red2(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red2(c, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sum_red3(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red3(c, 2, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sum_red4(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red4(c, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sum_red5(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red5(c, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sum_red6(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| red6(c, |a, b| a + b))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sum_red7(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| red7(c, |a, b| a + b))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn max_red5(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| red5(c, |a, b| max(a, b)))
    }

    /// `2x2` matrices multiply associatively but not commutatively; here as the affine maps `ax + b`.
    fn after(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
        (f.0 * g.0, f.1 * g.0 + g.1)
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn compose_red1(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(512).as_grid_map(|c| exec_block(red1(c, |f, g| after(f, g))))
    }

    /// The library's `reduce` takes any length and keeps the order.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn compose_any(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(300).as_grid_map(|c| exec_block(reduce(c, after)))
    }

    /// Two-stage reduction: each warp reduces 32 elements, the block their sums.
    fn warp_sum(xs: Pull<i32>) -> Program<Warp, Push<Warp, i32>> {
        halving(|a, b| a + b, xs)
    }

    #[kernel(threads = [128, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn two_stage(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| {
            let sums = chunk.split_up(32).as_block_map(|c| warp_sum(c)).compute();
            halving(|a, b| a + b, sums)
        })
    }

    /// Launched twice, first on all blocks, then on the one chunk of their sums.
    #[kernel(threads = [32, 1, 33, 64, 100, 256, 1024])]
    pub fn large_red5(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(4096).as_grid_map(|c| red5(c, |a, b| a + b))
    }

    /// In how many rounds, at most 512, the point of row `b`, column `t` leaves the circle of radius 2: one of 16 greys.
    fn pixel(b: u32, t: u32) -> Program<Thread, u8> {
        let cx = -2.0 + t as f32 * (3.2 / 512.0);
        let cy = 1.2 - b as f32 * (2.4 / 512.0);
        let (_x, _y, n) = seq_while(
            (0.0f32, 0.0f32, 1u32),
            |(x, y, n)| x * x + y * y < 4.0 && n < 512,
            |(x, y, n)| (x * x - y * y + cx, 2.0 * x * y + cy, n + 1),
        );
        (n % 16 * 16) as u8
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn mandelbrot() -> Push<Grid, u8> {
        mk_pull(512, |b| mk_pull(512, |t| exec_thread(pixel(b, t))).as_block()).as_grid()
    }

    /// Increment, pushed by the block; through `compute`; and by warps.
    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn increment(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(2048).as_grid_map(|c| c.map(|x| x + 1).push())
    }

    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn increment_stored(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(2048).as_grid_map(|c| exec_block(c.map(|x| x + 1).compute()))
    }

    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256])]
    pub fn increment_warps(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(2048).as_grid_map(|c| {
            c.split_up(512).as_block_map(|part| exec_warp(part.map(|x| x + 1).compute()))
        })
    }

    /// A matrix product: a block for each row, a thread for each column.
    #[kernel(threads = [32, 1, 33, 64, 100, 256, 1024])]
    pub fn matrix_product(a: Pull<i32, 1024>, b: Pull<i32, 1024>) -> Push<Grid, i32> {
        let columns = b.reshape(32, 32).transpose();
        a.reshape(32, 32).as_grid_map(|row| columns.as_block_map(|column| exec_thread(seq_dot(row, column))))
    }

    #[kernel(threads = [32, 1, 33, 64, 100, 256, 1024])]
    pub fn matrix_product_f32(a: Pull<f32, 1024>, b: Pull<f32, 1024>) -> Push<Grid, f32> {
        let columns = b.reshape(32, 32).transpose();
        a.reshape(32, 32).as_grid_map(|row| columns.as_block_map(|column| exec_thread(seq_dot(row, column))))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        reductions.kernel(),
        reduction_4096.kernel(),
        sum_red1.kernel(),
        sum_red2.kernel(),
        sum_red3.kernel(),
        sum_red4.kernel(),
        sum_red5.kernel(),
        sum_red6.kernel(),
        sum_red7.kernel(),
        max_red5.kernel(),
        compose_red1.kernel(),
        compose_any.kernel(),
        two_stage.kernel(),
        large_red5.kernel(),
        mandelbrot.kernel(),
        increment.kernel(),
        increment_stored.kernel(),
        increment_warps.kernel(),
        matrix_product.kernel(),
        matrix_product_f32.kernel(),
    ]
}
