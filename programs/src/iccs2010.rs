//! The programs of "GPGPU kernel implementation and refinement using Obsidian" (ICCS 2010).

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// One more than each element.
    #[kernel(threads = [10, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn incr(input: Pull<u32, 10>) -> Push<Grid, u32> {
        singleton(input).as_grid_map(|c| c.map(|x| x + 1).push())
    }

    #[kernel(threads = [10, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn increv(input: Pull<u32, 10>) -> Push<Grid, u32> {
        singleton(input).as_grid_map(|c| c.map(|x| x + 1).reverse().push())
    }

    #[kernel(threads = [10, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn increv_sync(input: Pull<u32, 10>) -> Push<Grid, u32> {
        singleton(input).as_grid_map(|c| exec_block(c.map(|x| x + 1).compute().reverse()))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| alpha * x + y).split_up(1024).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [4, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn saxpy_four(alpha: f32, x: Pull<f32, 4>, y: Pull<f32, 4>) -> Push<Grid, f32> {
        singleton(x.zip_with(y, |x, y| alpha * x + y)).as_grid_map(|c| c.push())
    }

    /// All neighbours but the first and the last, in pairs that begin at odd places.
    fn on_odds(xs: Pull<u32>) -> Pull<u32> {
        let n = xs.len();
        mk_pull(n, |i| {
            if i == 0 || i == n - 1 {
                xs[i]
            } else if i % 2 == 1 {
                min(xs[i], xs[min(i + 1, n - 1)])
            } else {
                max(xs[max(i, 1) - 1], xs[i])
            }
        })
    }

    /// §4.1, and 20: Batcher's odd-even merge of two sorted halves.
    fn merge_oe(xs: Pull<u32>, n: u32) -> Pull<u32> {
        if n == 1 {
            xs.on_pairs(|a, b| (min(a, b), max(a, b)))
        } else {
            on_odds(xs.ilv(|part| merge_oe(part, n - 1)))
        }
    }

    /// `f` of each of `2^d` parts: `two` within `two`.
    fn in_parts(xs: Pull<u32>, d: u32, f: impl Fn(Pull<u32>) -> Pull<u32>) -> Pull<u32> {
        if d == 0 { f(xs) } else { xs.two(|half| in_parts(half, d - 1, f)) }
    }

    /// Merges of two, of four, of eight; stored after each.
    fn sort_oe(xs: Pull<u32>, n: u32) -> Program<Block, Pull<u32>> {
        let mut sorted = xs;
        for m in 1..=n {
            sorted = in_parts(sorted, n - m, |part| merge_oe(part, m)).compute();
        }
        sorted
    }

    #[kernel(threads = [8, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn merged_oe(input: Pull<u32, 8>) -> Push<Grid, u32> {
        singleton(merge_oe(input, 3)).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [8, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn sorted_oe(input: Pull<u32, 8>) -> Push<Grid, u32> {
        singleton(input).as_grid_map(|c| exec_block(sort_oe(c, 3)))
    }

    /// §4.1 as the paper writes it: the sort of both halves, then a merge, each a program that stores its steps. All parts go in step,
    /// so a phase of one is a phase of all.
    fn merge_stored(xs: Pull<u32>, n: u32) -> Program<Block, Pull<u32>> {
        if n == 1 {
            xs.on_pairs(|a, b| (min(a, b), max(a, b))).compute()
        } else {
            on_odds(xs.ilv(|part| merge_stored(part, n - 1))).compute()
        }
    }

    fn sort_stored(xs: Pull<u32>, n: u32) -> Program<Block, Pull<u32>> {
        if n == 0 { xs } else { merge_stored(xs.two(|half| sort_stored(half, n - 1)), n) }
    }

    #[kernel(threads = [32, 1, 33, 64, 100, 256, 1024])]
    pub fn sorted_in_step(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(64).as_grid_map(|c| exec_block(sort_stored(c, 6)))
    }

    /// Quarters scanned in step, and in each the sums of its own rows by warps.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn quarters_in_step(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(128).as_grid_map(|c| exec_block(c.bin_split(2, |part| {
            let scanned = part.scan(|a, b| a + b).compute();
            scanned.split_up(8).as_block_map(|row| exec_warp(row.scan(|a, b| a ^ b).reverse())).compute()
        })))
    }

    /// In a thread, which does one half after the other.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn halves_of_a_thread(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(192).as_grid_map(|c| c.split_up(12).as_block_map(|own| {
            exec_thread(own.two(|half| half.scan(|a, b| a + b).compute().reverse()))
        }))
    }

    /// The library's, of a length that is no power of two.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sorted_odd_even(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(100).as_grid_map(|c| exec_block(c.sort_odd_even()))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sorted_odd_even_by(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(77).as_grid_map(|c| exec_block(c.sort_odd_even_by(|a, b| a.0 <= b.0)))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        incr.kernel(),
        increv.kernel(),
        increv_sync.kernel(),
        saxpy.kernel(),
        saxpy_four.kernel(),
        merged_oe.kernel(),
        sorted_oe.kernel(),
        sorted_in_step.kernel(),
        quarters_in_step.kernel(),
        halves_of_a_thread.kernel(),
        sorted_odd_even.kernel(),
        sorted_odd_even_by.kernel(),
    ]
}
