//! The scans of JFP 2016 §6.3 and ICCS 2010 §4.2.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// Sklansky's scan of a fixed length, and over a grid.
    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn sklansky(input: Pull<u32, 1024>) -> Push<Grid, u32> {
        singleton(0).as_grid_map(|_b| exec_block(scan_sklansky1(input, |a, b| a + b)))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn sklansky_grid(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(256).as_grid_map(|c| exec_block(c.scan_sklansky1(|a, b| a + b)))
    }

    #[kernel(threads = [4, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn sklansky_eight(input: Pull<u32, 8>) -> Push<Grid, u32> {
        singleton(input).as_grid_map(|c| exec_block(c.scan_sklansky1(|a, b| a + b)))
    }

    /// 9, the `phase` form: half the threads, no conditional.
    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn sklansky_push(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(1024).as_grid_map(|c| exec_block(c.scan_sklansky2(|a, b| a + b)))
    }

    /// 9, after each thread has loaded two elements.
    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn sklansky_loaded(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(1024).as_grid_map(|c| exec_block(c.scan_sklansky3(|a, b| a + b)))
    }

    /// Affine maps compose: associative, not commutative.
    fn after(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
        (f.0 * g.0, f.1 * g.0 + g.1)
    }

    /// Kogge and Stone's scan, of a length that is no power of two; the operator does not commute.
    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn kogge_stone(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(300).as_grid_map(|c| exec_block(c.scan_kogge_stone(after)))
    }

    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn kogge_stone_push(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(300).as_grid_map(|c| exec_block(c.scan_kogge_stone_push(|a, b| a + b)))
    }

    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn kogge_stone_1024(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(1024).as_grid_map(|c| exec_block(c.scan_kogge_stone_push(|a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn brent_kung(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(300).as_grid_map(|c| exec_block(c.scan_brent_kung(after)))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sklansky_ordered(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(128).as_grid_map(|c| exec_block(c.scan_sklansky2(after)))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        sklansky.kernel(),
        sklansky_grid.kernel(),
        sklansky_eight.kernel(),
        sklansky_push.kernel(),
        sklansky_loaded.kernel(),
        kogge_stone.kernel(),
        kogge_stone_push.kernel(),
        kogge_stone_1024.kernel(),
        brent_kung.kernel(),
        sklansky_ordered.kernel(),
    ]
}
