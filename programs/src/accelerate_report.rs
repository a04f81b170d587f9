//! The programs that Accelerate's OpenCL report of 2011 measures, beside those of `accelerate2011` and `saxpy` of
//! `iccs2010`: a map, a fold, Black and Scholes' formula, and a sparse matrix times a vector in three ways.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn map_plus(k: i32, input: DPull<i32>) -> DPush<Grid, i32> {
        input.map(|x| x + k).split_up(256).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn fold_sum(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(1024).as_grid_map(|c| red6(c, |a, b| a + b))
    }

    /// How likely a normal variable is below `x`, to 1e-7. Source: Abramowitz and Stegun, Handbook, 26.2.17.
    fn normal_below(x: f32) -> f32 {
        let k = 1.0 / (1.0 + 0.2316419 * abs(x));
        let poly = ((((1.3302744 * k - 1.8212559) * k + 1.7814779) * k - 0.35656378) * k + 0.31938153) * k;
        let above = 0.39894228 * exp(-0.5 * x * x) * poly;
        if x > 0.0 { 1.0 - above } else { above }
    }

    /// What an option to buy and one to sell are worth. Source: F. Black, M. Scholes, The Pricing of Options, 1973.
    fn worth(rate: f32, volatility: f32, option: (f32, f32, f32)) -> (f32, f32) {
        let (price, strike, years) = option;
        let spread = volatility * sqrt(years);
        let d1 = (ln(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
        let (n1, n2) = (normal_below(d1), normal_below(d1 - spread));
        let later = strike * exp(-rate * years);
        (price * n1 - later * n2, later * (1.0 - n2) - price * (1.0 - n1))
    }

    /// Options: price now, price agreed, years until then.
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn black_scholes(rate: f32, volatility: f32, options: DPull<(f32, f32, f32)>) -> DPush<Grid, (f32, f32)> {
        options.map(|o| worth(rate, volatility, o)).split_up(64).as_grid_map(|c| c.push())
    }

    /// A sparse matrix times `x`, a thread per row. A row is where its entries start and end; an entry is a column and
    /// a value.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn smvm_threads(rows: DPull<(u32, u32)>, entries: DPull<(u32, f32)>, x: DPull<f32>) -> DPush<Grid, f32> {
        rows.split_up(64).as_grid_map(|chunk| chunk.as_block_map(|row| exec_thread({
            let mut sum = 0.0;
            for i in row.0..min(row.1, entries.len()) {
                let (column, value) = entries[i];
                sum = sum + value * x[column];
            }
            sum
        })))
    }

    /// A warp per row: its lanes take the entries in turn.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn smvm_warps(rows: DPull<(u32, u32)>, entries: DPull<(u32, f32)>, x: DPull<f32>) -> DPush<Grid, f32> {
        rows.split_up(16).as_grid_map(|chunk| chunk.as_block_map(|row| exec_warp({
            let lanes = mk_pull(32, |lane| exec_thread({
                let mut sum = 0.0;
                let mut i = row.0 + lane;
                while i < min(row.1, entries.len()) {
                    let (column, value) = entries[i];
                    sum = sum + value * x[column];
                    i = i + 32;
                }
                sum
            }));
            reduce_lanes(lanes.as_warp().compute_lanes(), |a, b| a + b)
        })))
    }

    /// Sums that restart where the flag is set; this is associative.
    fn within_rows(a: (bool, f32), b: (bool, f32)) -> (bool, f32) {
        (a.0 || b.0, if b.0 { b.1 } else { a.1 + b.1 })
    }

    /// Segmented, first half: the products, summed up along each row within 256 entries. Equal work whatever the rows' lengths.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn smvm_products(entries: DPull<(u32, f32)>, heads: DPull<bool>, x: DPull<f32>) -> DPush<Grid, f32> {
        entries.zip(heads).split_up(256).as_grid_map(|c| {
            let products = c.map(|p| (p.1, p.0.1 * x[p.0.0])).compute();
            exec_block(scan_kogge_stone(products, within_rows).map(|p| p.1).push())
        })
    }

    /// Segmented, second half: each row picks up its sums, one for each 256 entries that it lies in.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn smvm_pieces(rows: DPull<(u32, u32)>, sums: DPull<f32>) -> DPush<Grid, f32> {
        rows.split_up(64).as_grid_map(|chunk| chunk.as_block_map(|row| exec_thread({
            let end = min(row.1, sums.len());
            let mut sum = 0.0;
            let mut at = row.0;
            while at < end {
                at = min((at / 256 + 1) * 256, end);
                sum = sum + sums[at - 1];
            }
            sum
        })))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        map_plus.kernel(),
        fold_sum.kernel(),
        black_scholes.kernel(),
        smvm_threads.kernel(),
        smvm_warps.kernel(),
        smvm_products.kernel(),
        smvm_pieces.kernel(),
    ]
}
