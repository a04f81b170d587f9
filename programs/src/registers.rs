//! Arrays in registers, distributed over the threads of a block: kept between barriers and through loops, of several types, for more, as
//! many and fewer threads than the block really has; and a product of matrices that keeps its sums there.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// Four elements of each thread, to which those of the next one are added in some rounds.
    #[kernel(threads = [64, 32, 48, 100, 256, 1024])]
    pub fn registers_between_barriers(input: DPull<f32>, rounds: u32) -> DPush<Grid, f32> {
        input.split_up(256).as_grid_map(|c| exec_block({
            let acc = regs(64, 4, |t, q| c[q * 64 + t]);
            for _ in 0..rounds % 4 {
                let all = acc.push().compute();
                for_all(64, |t| {
                    let own = acc[t];
                    for q in 0..4 {
                        own[q] += all[(t * 4 + q + 1) % 256] * 0.5;
                    }
                });
            }
            acc.push()
        }))
    }

    /// Pairs, and a register of 64 bits that lives in one round of a loop only; threads in a program of 40, of which the last turn is
    /// not full.
    #[kernel(threads = [64, 8, 32, 33])]
    pub fn registers_of_pairs(input: DPull<(u8, u64)>) -> DPush<Grid, (u8, u64)> {
        input.split_up(120).as_grid_map(|c| exec_block({
            let own = regs(40, 3, |t, q| c[t * 3 + q]);
            for k in 0..2 {
                let sums = regs(40, 1, |_, _| 0u64);
                for_all(40, |t| for q in 0..3 {
                    sums[t][0] += own[t][q].1;
                });
                let turned = sums.push().reverse().compute();
                for_all(40, |t| {
                    let (a, b) = (own[t][0], own[t][2]);
                    own[t][0] = (b.0, b.1 ^ turned[t]);
                    own[t][2] = (a.0, a.1 + k as u64);
                });
            }
            own.as_block_map(|of_thread| exec_thread(of_thread.to_pull().reverse()))
        }))
    }

    /// One side of a branch of the block changes what the threads keep, beside warps that keep something in their lanes.
    #[kernel(threads = [64, 32, 33, 128])]
    pub fn registers_and_lanes(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| exec_block({
            let own = regs(64, 1, |t, _| c[t]);
            let sums = c.split_up(32).as_block_map(|xs| exec_warp({
                let kept = xs.compute_lanes();
                mk_pull(32, |i| kept[i] + kept[i ^ 16])
            })).compute();
            if c[0] % 2 == 0 {
                for_all(64, |t| { own[t][0] = own[t][0] ^ sums[63 - t]; });
            } else {
                let all = own.push().compute();
                for_all(64, |t| { own[t][0] -= all[(t + 7) % 64]; });
            }
            own.push()
        }))
    }

    /// Rows and columns of a block's part of a product.
    const TILE: u32 = 64;
    /// How many columns of the one matrix and rows of the other a step takes.
    const STEP: u32 = 8;

    /// Where in a tile a thread has its element `i` of 8: two runs of four, so that the vectors of neighbours lie in other banks.
    fn spread(t: u32, i: u32) -> u32 {
        i / 4 * 32 + t * 4 + i % 4
    }

    /// The product of two matrices of any shape; rows that `b` lacks count as zeros. Each of 64 threads keeps 8 x 8 sums.
    #[kernel(threads = 64)]
    pub fn sgemm(a: DMat<f32>, b: DMat<f32>) -> PushMat<Grid, f32> {
        let (m, n, depth) = (a.rows(), b.cols(), a.cols());
        let (down, across) = (m / TILE + min(m % TILE, 1), n / TILE + min(n % TILE, 1));
        let all = mk_push(m * n, |write| distr_par(down * across, |tile| {
            let (top, left) = (tile / across * TILE, tile % across * TILE);
            let sums = regs(64, 64, |_, _| 0.0);
            for k in 0..depth / STEP + min(depth % STEP, 1) {
                let of_a = mk_pull(TILE * STEP, |i| {
                    let (r, d) = (top + i % TILE, k * STEP + i / TILE);
                    if r < m && d < depth { a[(r, d)] } else { 0.0 }
                }).compute();
                let of_b = mk_pull(TILE * STEP, |i| {
                    let (d, c) = (k * STEP + i / TILE, left + i % TILE);
                    if d < b.rows() && c < n { b[(d, c)] } else { 0.0 }
                }).compute();
                for_all(64, |t| {
                    let own = sums[t];
                    for d in 0..STEP {
                        for i in 0..8 {
                            let x = of_a[d * TILE + spread(t / 8, i)];
                            for j in 0..8 {
                                own[i * 8 + j] = mul_add(x, of_b[d * TILE + spread(t % 8, j)], own[i * 8 + j]);
                            }
                        }
                    }
                });
            }
            for_all(64, |t| {
                for i in 0..8 {
                    for j in 0..8 {
                        let (r, c) = (top + spread(t / 8, i), left + spread(t % 8, j));
                        if r < m && c < n { write(sums[t][i * 8 + j], r * n + c); }
                    }
                }
            });
        }));
        all.as_rows(m, n)
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        registers_between_barriers.kernel(),
        registers_of_pairs.kernel(),
        registers_and_lanes.kernel(),
        sgemm.kernel(),
    ]
}
