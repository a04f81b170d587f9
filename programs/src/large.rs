//! Programs at the papers' own sizes: for the CPU, as the interpreter would take hours.

use obsidian::prelude::*;

kernel! {
    /// FCL 2016 §3.
    #[kernel(threads = 256)]
    pub fn transposed_4096(input: Pull<i32, 16777216>) -> Push<Grid, i32> {
        input.transpose_tiled(4096, 16)
    }

    /// A block for each row.
    #[kernel(threads = 256)]
    pub fn matrix_vector_4096(matrix: DPull<f64>, vector: Pull<f64, 4096>) -> DPush<Grid, f64> {
        matrix.split_up(4096).as_grid_map(|row| exec_block(dot(row, vector)))
    }

    /// What a thread for each element adds to tile `sum`: a row of tile `a` by a column of tile `b`.
    fn accumulate(sum: Pull<f64>, a: Pull<f64>, b: Pull<f64>) -> Push<Block, f64> {
        mk_pull(256, |e| {
            exec_thread(seq_fold(16, sum[e], |s, k| s + a[e / 16 * 16 + k] * b[k * 16 + e % 16]))
        }).as_block()
    }

    fn tile_of_product(t: u32, a: DPull<Pull<f64>>, b: Pull<Pull<f64>>) -> Program<Block, Pull<f64>> {
        let mut sum = replicate(256, 0.0).compute();
        for k in 0..50 {
            let left = a[t / 50 * 50 + k].compute();
            let right = b[k * 50 + t % 50].compute();
            sum = accumulate(sum, left, right).compute();
        }
        sum
    }

    /// Any number of rows of 800 by a matrix of 800 x 800, in tiles of 16 x 16.
    #[kernel(threads = 256)]
    pub fn tiled_product(a: DPull<f64>, b: Pull<f64, 640000>) -> DPush<Grid, f64> {
        let (left, right) = (a.split_2d(800, 16, 16), b.split_2d(800, 16, 16));
        mk_pull(left.len(), |t| exec_block(tile_of_product(t, left, right))).concat_2d_grid(800, 16, 16)
    }
}
