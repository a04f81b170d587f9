//! Arrays in a warp's registers, read by shuffles, and arrays stored with padding: every kind of read, several types,
//! lengths below, at and above 32, on blocks that hold whole warps, parts of warps and no whole warp.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// The sum of a warp's elements, in all lanes.
    fn butterfly<T: Num>(xs: Pull<T>) -> Program<Warp, Pull<T>> {
        let mut acc = xs.compute_lanes();
        for k in 0..5 {
            let before = acc;
            acc = mk_pull(32, |i| before[i] + before[i ^ (1 << k)]).compute_lanes();
        }
        acc
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_sum(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(256).as_grid_map(|c| c.split_up(32).as_block_map(|xs| exec_warp(butterfly(xs).take(1))))
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_share(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(160).as_grid_map(|c| c.split_up(32).as_block_map(|xs| {
            exec_warp(butterfly(xs).zip_with(xs, |sum, x| x / sum))
        }))
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_reduce_u64(input: DPull<u64>) -> DPush<Grid, u64> {
        input.split_up(320).as_grid_map(|c| c.split_up(64).as_block_map(|xs| reduce_lanes(xs, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_reduce_f64(input: DPull<f64>) -> DPush<Grid, f64> {
        input.split_up(60).as_grid_map(|c| c.split_up(20).as_block_map(|xs| reduce_lanes(xs, |a, b| max(a, b))))
    }

    fn compose(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
        (f.0 * g.0, f.1 * g.0 + g.1)
    }

    /// Up to 32 elements the operator need not commute.
    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_compose(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(80).as_grid_map(|c| c.split_up(20).as_block_map(|xs| reduce_lanes(xs, compose)))
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_scan_compose(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(150).as_grid_map(|c| c.split_up(50).as_block_map(|xs| exec_warp(scan_lanes(xs, compose))))
    }

    /// Fields of different types.
    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_scan_pair(keys: DPull<i32>, values: DPull<f32>) -> DPush<Grid, f32> {
        keys.zip(values).split_up(128).as_grid_map(|c| c.split_up(64).as_block_map(|xs| {
            exec_warp(scan_lanes(xs, |a, b| (a.0 + b.0, max(a.1, b.1))).map(|p| p.0 as f32 - p.1))
        }))
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_scan_bool(input: DPull<bool>) -> DPush<Grid, bool> {
        input.split_up(60).as_grid_map(|c| c.split_up(20).as_block_map(|xs| exec_warp(scan_lanes(xs, |a, b| a != b))))
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_scan_u8(input: DPull<u8>) -> DPush<Grid, u8> {
        input.split_up(192).as_grid_map(|c| c.split_up(64).as_block_map(|xs| exec_warp(scan_lanes(xs, |a, b| a + b))))
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_scan_i16(input: DPull<i16>) -> DPush<Grid, i16> {
        input.split_up(64).as_grid_map(|c| c.split_up(32).as_block_map(|xs| exec_warp(scan_lanes(xs, |a, b| a + b))))
    }

    /// By hand, over two registers and a part of a third.
    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_scan_by_hand(input: DPull<i64>) -> DPush<Grid, i64> {
        input.split_up(160).as_grid_map(|c| c.split_up(80).as_block_map(|xs| {
            exec_warp({
                let mut acc = xs.compute_lanes();
                for k in 0..7 {
                    let (before, d) = (acc, 1 << k);
                    acc = mk_pull(80, |i| if i < d { before[i] } else { before[i - d] + before[i] }).compute_lanes();
                }
                acc
            })
        }))
    }

    /// One element to all, a turn of the whole array, a mirror, and an index that is data.
    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_gather(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(120).as_grid_map(|c| c.split_up(40).as_block_map(|xs| {
            exec_warp({
                let a = xs.compute_lanes();
                let b = mk_pull(40, |i| a[0] + 3 * a[(i + 7) % 40] + 5 * a[39 - i]).compute_lanes();
                mk_pull(40, |i| if a[i] % 3 == 0 { b[a[i] % 40] } else { b[i] })
            })
        }))
    }

    /// Lanes fetch in each round of a loop that they go through together.
    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_matrix_vector(matrix: Pull<i32, 1024>, vectors: DPull<i32>) -> DPush<Grid, i32> {
        vectors.split_up(64).as_grid_map(|c| c.split_up(32).as_block_map(|v| {
            exec_warp({
                let x = v.compute_lanes();
                mk_pull(32, |i| exec_thread(seq_fold(32, 0, |acc, k| acc + matrix[k * 32 + i] * x[k]))).as_warp()
            })
        }))
    }

    /// Written from the other end: the first array cannot stay in lanes, the second can.
    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn lanes_and_memory(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.split_up(32).as_block_map(|xs| {
            exec_warp({
                let a = xs.push().reverse().compute_lanes();
                let b = mk_pull(32, |i| 2 * a[i]).compute_lanes();
                mk_pull(32, |i| b[i ^ 3] - xs[i])
            })
        }))
    }

    /// Each warp's elements that `keep` holds for, in their order, then the others in theirs.
    fn partition_warp(xs: Pull<u32>, keep: impl Fn(u32) -> bool) -> Program<Warp, Push<Warp, u32>> {
        let kept = ballot(xs.map(keep));
        let first = kept.count_ones();
        // A permutation: the kept come to 0 .. first, each behind those kept before it, and the others behind these likewise.
        unsafe {
            xs.push().ix_map(|i| {
                let before = (kept & lane_mask_lt(i)).count_ones();
                if (kept >> i) & 1 == 1 { before } else { first + i - before }
            })
        }
    }

    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn votes_partition(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(128).as_grid_map(|c| c.split_up(32).as_block_map(|xs| exec_warp(partition_warp(xs, |x| x % 3 != 0))))
    }

    /// A histogram of each warp's keys: of the lanes with one key the lowest counts them all.
    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn votes_histogram(input: DPull<u32>) -> DPush<Grid, u32> {
        input.map(|k| k % 16).split_up(128).as_grid_map(|c| c.split_up(32).as_block_map(|keys| exec_warp({
            let same = match_any(keys);
            let bins = new_mut(mk_pull(16, |_| 0u32).push());
            for_all(32, |i| {
                if same[i] & lane_mask_lt(i) == 0 {
                    atomic_add(bins, keys[i], same[i].count_ones());
                }
            });
            bins.to_pull()
        })))
    }

    /// Fewer elements than lanes, keys of 64 bits; votes that decide what all of the warp give.
    #[kernel(threads = [64, 1, 32, 33, 96, 100, 256, 1024])]
    pub fn votes_few(input: DPull<u64>) -> DPush<Grid, u32> {
        input.split_up(60).as_grid_map(|c| c.split_up(20).as_block_map(|xs| exec_warp({
            let (some, every) = (any(xs.map(|x| x > 250)), all(xs.map(|x| x > 2)));
            let (odd, same) = (ballot(xs.map(|x| x & 1 == 1)), match_any(xs.map(|x| x & 7)));
            mk_pull(20, |i| match (some, every) {
                (true, true) => odd ^ i,
                (true, false) => same[i],
                _ => same[19 - i] | (odd & lane_mask_lt(i)),
            })
        })))
    }

    /// Four neighbours in each lane, which loads and stores them at once; one in five is read from the next lane.
    #[kernel(threads = [64, 33, 32, 128])]
    pub fn lanes_of_neighbours(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(256).as_grid_map(|c| c.split_up(128).as_block_map(|xs| exec_warp({
            let own = xs.runs(4).compute_lanes(4);
            mk_pull(128, |i| own[i] + own[i ^ 1] * own[(i + 1) % 128]).runs(4)
        })))
    }

    /// Pairs, three in each lane, of several times 32 lanes.
    #[kernel(threads = [64, 33, 32])]
    pub fn lanes_of_triples(input: DPull<(u8, i64)>) -> DPush<Grid, (u8, i64)> {
        input.split_up(192).as_grid_map(|c| c.split_up(192).as_block_map(|xs| exec_warp({
            let own = xs.compute_lanes(3);
            mk_pull(192, |i| (own[191 - i].0, own[i].1 + own[i / 3 * 3].1))
        })))
    }

    /// Of all types that keys have.
    #[kernel(threads = [64, 33, 32], T = [i8, u16, i32, i64])]
    pub fn votes_same<T: Int>(input: DPull<T>) -> DPush<Grid, u32> {
        input.split_up(64).as_grid_map(|c| c.split_up(32).as_block_map(|xs| exec_warp(match_any(xs.map(|x| x % 5)))))
    }

    /// Tiles of 16 x 16 in rows of 17.
    #[kernel(threads = [256, 33])]
    pub fn padded_tiles(input: Pull<i32, 65536>) -> Push<Grid, i32> {
        mk_pull(256, |t| {
            let tile = mk_pull(16, |y| mk_pull(16, |x| input[(t / 16 * 16 + y) * 256 + t % 16 * 16 + x]));
            exec_block(tile.compute_rows_padded(1).transpose().flatten())
        }).as_grid()
    }

    /// 32 x 32 elements read by columns, in rows of 33.
    #[kernel(threads = [256, 100])]
    pub fn padded_square(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(1024).as_grid_map(|c| {
            let tile = c.compute_padded(1);
            mk_pull(1024, |k| tile[k % 32 * 32 + k / 32]).push()
        })
    }

    /// A push array of pairs, in rows of 5, 2 more elements after each; the last row is not full.
    #[kernel(threads = [64, 33])]
    pub fn padded_pairs(input: DPull<(i32, i32)>) -> DPush<Grid, (i32, i32)> {
        input.split_up(48).as_grid_map(|c| {
            c.split_up(12).as_block_map(|xs| exec_warp(xs.push().reverse().compute_padded(5, 2)))
        })
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        lanes_sum.kernel(),
        lanes_share.kernel(),
        lanes_reduce_u64.kernel(),
        lanes_reduce_f64.kernel(),
        lanes_compose.kernel(),
        lanes_scan_compose.kernel(),
        lanes_scan_pair.kernel(),
        lanes_scan_bool.kernel(),
        lanes_scan_u8.kernel(),
        lanes_scan_i16.kernel(),
        lanes_scan_by_hand.kernel(),
        lanes_gather.kernel(),
        lanes_matrix_vector.kernel(),
        lanes_and_memory.kernel(),
        votes_partition.kernel(),
        votes_histogram.kernel(),
        votes_few.kernel(),
        votes_same.kernel(),
        lanes_of_neighbours.kernel(),
        lanes_of_triples.kernel(),
        padded_tiles.kernel(),
        padded_square.kernel(),
        padded_pairs.kernel(),
    ]
}
