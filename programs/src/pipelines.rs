//! Stages in flight: what a round of a block's loop loads is on its way while the rounds before are at work. By the copies of the hardware
//! where the target has them, else by registers, in turn on processors.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// For each of 64 columns, the sum of what each of its rows has there and in the row turned round.
    fn columns(depth: u32, xs: DPull<u32>) -> Program<Block, Push<Block, u32>> {
        let sums = regs(64, 1, |_, _| 0u32);
        pipeline(depth, xs.len() / 256 + min(xs.len() % 256, 1), |k| mk_pull(256, |i| xs.get_or(k * 256 + i, 0)), |_, tile| {
            for_all(64, |t| for r in 0..4 {
                sums[t][0] += tile[r * 64 + t] + 3 * tile[255 - r * 64 - t];
            })
        });
        sums.push()
    }

    /// In three stages of the hardware's copies, where elements outside of the input are stored as zeros.
    #[kernel(threads = [64, 32, 48, 100], target = "sm_80")]
    pub fn staged_columns(xs: DPull<u32>) -> Push<Grid, u32> {
        mk_pull(1, |_| exec_block(columns(3, xs))).as_grid()
    }

    /// The same where only registers are there to wait in; or, with few threads, too few of these.
    #[kernel(threads = [64, 4, 48])]
    pub fn staged_columns_in_registers(xs: DPull<u32>) -> Push<Grid, u32> {
        mk_pull(1, |_| exec_block(columns(2, xs))).as_grid()
    }

    /// Differences of neighbours, added up over parts of each 1024: four neighbours a copy, two arrays, and two loops one after the other
    /// in what may be one block of several.
    #[kernel(threads = [64, 256, 33], target = "sm_90")]
    pub fn staged_differences(xs: DPull<(f32, u64)>) -> DPush<Grid, (f32, u64)> {
        xs.split_up(1024).as_grid_map(|c| exec_block({
            let sums = regs(64, 2, |_, _| (0.0, 0u64));
            for part in 0..2 {
                pipeline_push(2 + part, 4 - part, |k| mk_pull(256, |i| c[k * 256 + i]).runs(4), |k, tile| {
                    let turned = tile.map(|(x, n)| (x * 0.5, n + k as u64)).reverse().compute();
                    for_all(64, |t| for r in 0..4 {
                        let ((x, n), (y, m)) = (tile[r * 64 + t], turned[r * 64 + t]);
                        let (a, b) = sums[t][part];
                        sums[t][part] = (a + (x - y), b + (n ^ m));
                    })
                });
            }
            sums.push()
        }))
    }

    /// Rows and columns of a block's part of a product.
    const SIDE: u32 = 64;
    /// How many columns of the one matrix and rows of the other a step takes.
    const DEEP: u32 = 8;

    /// Where in a row a thread has its element `i` of 8, as in `sgemm`.
    fn spread(t: u32, i: u32) -> u32 {
        i / 4 * 32 + t * 4 + i % 4
    }

    /// The product of two matrices of any shape; rows that `b` lacks count as zeros. Each of 64 threads keeps 8 x 8 sums, while the next
    /// parts of both matrices are on their way.
    #[kernel(threads = 64, target = "sm_80")]
    pub fn sgemm_staged(a: DMat<f32>, b: DMat<f32>) -> PushMat<Grid, f32> {
        let (m, n, depth) = (a.rows(), b.cols(), a.cols());
        let (down, across) = (m / SIDE + min(m % SIDE, 1), n / SIDE + min(n % SIDE, 1));
        let all = mk_push(m * n, |write| distr_par(down * across, |tile| {
            let (top, left) = (tile / across * SIDE, tile % across * SIDE);
            let sums = regs(64, 64, |_, _| 0.0);
            pipeline(3, depth / DEEP + min(depth % DEEP, 1), |k| mk_pull(SIDE * DEEP, |i| {
                let (r, c, d) = (top + i % SIDE, left + i % SIDE, k * DEEP + i / SIDE);
                (
                    if r < m && d < depth { a[(r, d)] } else { 0.0 },
                    if d < b.rows() && c < n { b[(d, c)] } else { 0.0 },
                )
            }), |_, parts| for_all(64, |t| {
                let own = sums[t];
                for d in 0..DEEP {
                    for i in 0..8 {
                        let x = parts[d * SIDE + spread(t / 8, i)].0;
                        for j in 0..8 {
                            own[i * 8 + j] = mul_add(x, parts[d * SIDE + spread(t % 8, j)].1, own[i * 8 + j]);
                        }
                    }
                }
            }));
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

    /// How many numbers a query, a key and a value have, and how many keys a step takes.
    const WIDTH: u32 = 32;
    const KEYS: u32 = 32;

    /// Attention in one pass over keys and values: for each query the mean of all values, weighted by the exponentials of its products
    /// with the keys. Each thread has a query, its greatest product so far, and the sums that it corrects where a greater one comes.
    /// Source: Dao et al., FlashAttention (2022), algorithm 1.
    #[kernel(threads = [64, 32, 33], target = "sm_80")]
    pub fn attention(queries: DPull<f32>, keys: DPull<f32>, values: DPull<f32>) -> DPush<Grid, f32> {
        let (q, k, v) = (queries.split_up(WIDTH), keys.split_up(WIDTH), values.split_up(WIDTH));
        let (n, keys) = (q.len(), min(k.len(), v.len()));
        mk_push(n * WIDTH, |write| distr_par(n / 64 + min(n % 64, 1), |b| {
            let own = regs(64, WIDTH, |t, d| if b * 64 + t < n { q[b * 64 + t][d] * 0.17677669 } else { 0.0 });
            let sums = regs(64, WIDTH, |_, _| 0.0);
            let (most, weights) = (regs(64, 1, |_, _| f32::MIN), regs(64, 1, |_, _| 0.0));
            pipeline(2, keys / KEYS + min(keys % KEYS, 1), |step| mk_pull(KEYS * WIDTH, |i| {
                let at = step * KEYS + i / WIDTH;
                if at < keys { (k[at][i % WIDTH], v[at][i % WIDTH]) } else { (0.0, 0.0) }
            }), |step, part| for_all(64, |t| seq_for(min(KEYS, keys - min(step * KEYS, keys)), |j| {
                let mut product = 0.0;
                for d in 0..WIDTH { product = mul_add(own[t][d], part[j * WIDTH + d].0, product); }
                let now = max(most[t][0], product);
                let (old, new) = (exp(most[t][0] - now), exp(product - now));
                most[t][0] = now;
                weights[t][0] = weights[t][0] * old + new;
                for d in 0..WIDTH { sums[t][d] = mul_add(part[j * WIDTH + d].1, new, sums[t][d] * old); }
            })));
            for_all(64, |t| if b * 64 + t < n {
                for d in 0..WIDTH { write(sums[t][d] / weights[t][0], (b * 64 + t) * WIDTH + d); }
            });
        }))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        staged_columns.kernel(),
        staged_columns_in_registers.kernel(),
        staged_differences.kernel(),
        sgemm_staged.kernel(),
        attention.kernel(),
    ]
}
