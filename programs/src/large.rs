//! Programs at the papers' own sizes, and one whose work grows with the square of its input: for the CPU, as the interpreter would take hours.

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

    /// What body `b` does to whoever is at `a`: three numbers, and the mass.
    fn pull_of(a: (f32, f32, f32, f32), b: (f32, f32, f32, f32)) -> (f32, f32, f32) {
        let (x, y, z) = (b.0 - a.0, b.1 - a.1, b.2 - a.2);
        let near = mul_add(x, x, mul_add(y, y, mul_add(z, z, 0.0001)));
        let s = b.3 / (near * sqrt(near));
        (x * s, y * s, z * s)
    }

    /// What all bodies do to each of them: a block keeps 64 of them at a time in shared memory, and each of its threads one body in registers.
    #[kernel(threads = [64, 33, 256])]
    pub fn nbody_tiles(bodies: DPull<(f32, f32, f32, f32)>) -> DPush<Grid, (f32, f32, f32)> {
        let n = bodies.len();
        let tiles = n / 64 + min(n % 64, 1);
        bodies.chunks(64).as_grid_map(|own| exec_block({
            let sums = regs(64, 1, |_, _| (0.0, 0.0, 0.0));
            let last = own.len() - 1;
            for k in 0..tiles {
                let tile = mk_pull(64, |i| {
                    let j = k * 64 + i;
                    if j < n { bodies[j] } else { (0.0, 0.0, 0.0, 0.0) }
                }).compute();
                for_all(64, |t| {
                    let me = own[min(t, last)];
                    // Eight at a time: all 64 at once would need more registers than a thread has.
                    sums[t][0] = seq_fold(8, sums[t][0], |so_far, part| {
                        let mut sum = so_far;
                        for i in 0..8 {
                            let f = pull_of(me, tile[part * 8 + i]);
                            sum = (sum.0 + f.0, sum.1 + f.1, sum.2 + f.2);
                        }
                        sum
                    });
                });
            }
            sums.push().take(own.len())
        }))
    }
}
