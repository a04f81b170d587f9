//! The papers' programs of several kernels, each as one program: what their hosts did between the kernels is in the language, too.
//! Any length, without `unsafe`. They are entries at `Device`, so `all` does not list them.

use obsidian::Module;
use obsidian::prelude::*;

kernel! {
    /// A chunk of any length as `n` elements, of which those behind the chunk's own change no sum.
    fn filled(chunk: DPull<u32>, n: u32) -> Pull<u32> {
        chunk.pad_to(n, 0)
    }

    /// JFP 2016 §7.1: chunks are reduced by `red5`, then the chunks of what that gave, until one sum is left.
    #[kernel(threads = [256, 33])]
    pub fn large_reduction(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        let mut sums = xs.chunks(4096).as_grid_map(|c| red5(filled(c, 4096), |a, b| a + b)).compute();
        // The longest array has 2^20 chunks.
        for _round in 0..2 {
            let before = sums;
            sums = if before.len() > 1 {
                before.chunks(4096).as_grid_map(|c| red5(filled(c, 4096), |a, b| a + b)).compute()
            } else {
                before
            };
        }
        sums
    }

    /// JFP 2016 §7.1, `red5` adapted: the number of blocks is fixed, and how many elements a thread folds follows from the length.
    /// Those of a thread lie as many apart as there are threads. A thread without elements gives `zero`.
    fn red5_adapted(xs: DPull<u32>, blocks: u32, zero: u32, f: impl Fn(u32, u32) -> u32) -> Push<Grid, u32> {
        let (last, threads) = (non_empty(xs).len() - 1, 256 * blocks);
        mk_pull(blocks, |b| exec_block({
            let sums = mk_pull(256, |t| exec_thread({
                let first = min(256 * b + t, last);
                let sum = seq_fold((last - first) / threads, xs[first], |acc, k| f(acc, xs[first + threads * (k + 1)]));
                if 256 * b + t <= last { sum } else { zero }
            })).as_block().compute();
            red3(sums, 2, f)
        })).as_grid()
    }

    /// Two launches for any length: the blocks of `red5_adapted`, and one for what these gave.
    #[kernel(threads = [256, 33], BLOCKS = 64)]
    pub fn large_reduction_adapted<const BLOCKS: u32>(xs: DPull<u32>) -> Program<Device, Pull<u32>> {
        let sums = red5_adapted(xs, BLOCKS, 0, |a, b| max(a, b)).compute();
        mk_pull(1, |_b| exec_block(red5(sums, |a, b| max(a, b)))).as_grid().compute()
    }

    /// A chain: one block scans chunk after chunk of `n` elements, each with what the chunks before it gave.
    fn chain(sums: DPull<u32>, n: u32, scan_chunk: impl Fn(Pull<u32>) -> Program<Block, Pull<u32>>) -> Program<Device, DPull<u32>> {
        let count = sums.len();
        let chunks = mk_pull((max(count, 1) - 1) / n + 1, |k| {
            mk_pull(n, |i| if k * n + i < count { sums[k * n + i] } else { 0 })
        });
        mk_pull(1, |_b| chunks.s_map_accum(0, |carry, xs| {
            let scanned = scan_chunk(xs).map(|x| x + carry).compute();
            (scanned[n - 1], scanned.push())
        })).as_grid().compute()
    }

    /// JFP 2016 §7.2: the sums of all beginnings by three kernels. Blocks reduce chunks; one block scans what these gave; blocks scan the
    /// chunks again, each from the sum of those before it.
    #[kernel(threads = [256, 33])]
    pub fn large_scan(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        let sums = xs.chunks(1024).as_grid_map(|c| exec_block(red1(filled(c, 1024), |a, b| a + b))).compute();
        let carries = chain(sums, 256, |c| scan_sklansky1(c, |a, b| a + b));
        let chunks = xs.chunks(1024);
        mk_pull(chunks.len(), |b| exec_block({
            let carry = if b == 0 { 0 } else { carries[b - 1] };
            let scanned = scan_sklansky2(filled(chunks[b], 1024), |x, y| x + y);
            scanned.map(|x| x + carry).to_dyn().take(chunks[b].len()).push()
        })).as_grid().compute()
    }

    /// Sklansky's scan of ICCS 2010 §4.2 in four ways of sharing its work out: a thread for an element; a thread for two, and no
    /// conditional; the same after two loads; and phases within warps before those of the block.
    fn small_scan<const WAY: u32>(xs: Pull<u32>) -> Program<Block, Pull<u32>> {
        match WAY {
            0 => scan_sklansky1(xs, |a, b| a + b),
            1 => scan_sklansky2(xs, |a, b| a + b),
            2 => scan_sklansky3(xs, |a, b| a + b),
            _ => {
                let warps = xs.split_up(32).as_block_map(|w| exec_warp(scan_sklansky1(w, |a, b| a + b))).compute();
                let mut scanned = warps;
                for k in 5..log2_exact(xs.len()) {
                    scanned = scanned.sklansky_phase(k, |a, b| a + b).compute();
                }
                scanned
            }
        }
    }

    /// ICCS 2010: the prefix sums of 2^20 elements, and of any other number. Blocks scan chunks; one block scans their last elements;
    /// these are added to the chunks behind them.
    #[kernel(threads = [256, 33], WAY = [0, 1, 2, 3])]
    pub fn large_prefix<const WAY: u32>(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        let n = xs.len();
        let scanned = xs.chunks(1024).as_grid_map(|c| exec_block({
            small_scan::<WAY>(filled(c, 1024)).to_dyn().take(c.len()).push()
        })).compute();
        let chunks = (max(n, 1) - 1) / 1024 + 1;
        let sums = mk_pull(chunks, |k| if n == 0 { 0 } else { scanned[min(1024 * k + 1023, n - 1)] });
        let carries = chain(sums, 1024, |c| small_scan::<WAY>(c));
        mk_pull(n, |i| if i < 1024 { scanned[i] } else { scanned[i] + carries[i / 1024 - 1] })
    }

    /// A column of compare and exchange: the smaller of two partners stays at the lower place. A place beyond the end has no partner.
    fn column(xs: DPull<u32>, stride: u32, partner: impl Fn(u32) -> u32) -> DPull<u32> {
        let n = xs.len();
        mk_pull(n, |i| {
            let j = partner(i);
            let other = if j < n { xs[j] } else { xs[i] };
            if i & stride == 0 { min(xs[i], other) } else { max(other, xs[i]) }
        })
    }

    /// DAMP 2012 §4: partners are mirror images in blocks of twice the stride.
    fn v_swap(xs: DPull<u32>, stride: u32) -> DPull<u32> {
        column(xs, stride, |i| i ^ (2 * stride - 1))
    }

    /// DAMP 2012 §4: partners are a stride apart.
    fn i_swap(xs: DPull<u32>, stride: u32) -> DPull<u32> {
        column(xs, stride, |i| i ^ stride)
    }

    /// DAMP 2012 §4: two columns in one kernel. Nothing is stored between them.
    fn i_swap2(xs: DPull<u32>, stride: u32) -> DPull<u32> {
        i_swap(i_swap(xs, stride), stride / 2)
    }

    /// DAMP 2012 §4: three columns in one kernel.
    fn i_swap3(xs: DPull<u32>, stride: u32) -> DPull<u32> {
        i_swap(i_swap2(xs, stride), stride / 4)
    }

    /// A chunk of at most 512 elements as 512, those behind its own the greatest there are.
    fn sorted_last(chunk: DPull<u32>) -> Pull<u32> {
        chunk.pad_to(512, u32::MAX)
    }

    /// DAMP 2012 §4, Fig. 6: blocks sort chunks of 512; then runs of twice the length, until one is left: a `v_swap`, columns of
    /// falling strides, as many to a kernel as there are, and merges in blocks once the stride is below 512.
    #[kernel(threads = [256, 33])]
    pub fn large_sort(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        let n = xs.len();
        let mut sorted = xs.chunks(512).as_grid_map(|c| exec_block({
            tsort2(sorted_last(c)).to_dyn().take(c.len()).push()
        })).compute();
        let mut run = 512u32;
        while run < n {
            sorted = v_swap(sorted, run).compute();
            let mut stride = run / 2;
            while stride >= 512 {
                let before = sorted;
                if stride >= 2048 {
                    sorted = i_swap3(before, stride).compute();
                    stride = stride / 8;
                } else if stride == 1024 {
                    sorted = i_swap2(before, stride).compute();
                    stride = stride / 4;
                } else {
                    sorted = i_swap(before, stride).compute();
                    stride = stride / 2;
                }
            }
            sorted = sorted.chunks(512).as_grid_map(|c| exec_block({
                bitonic_merge_with(sorted_last(c), min, max).to_dyn().take(c.len()).push()
            })).compute();
            run = if run > n / 2 { n } else { 2 * run };
        }
        sorted
    }
}

/// Every program of this file.
pub fn modules() -> Vec<&'static Module> {
    vec![
        large_reduction.module(),
        large_reduction_adapted.module(),
        large_scan.module(),
        large_prefix.module(),
        large_sort.module(),
    ]
}
