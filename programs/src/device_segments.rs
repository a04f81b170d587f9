//! Programs of several launches on parts of an array: exclusive scans, segments, runs of equal elements, and the first of an order.

use obsidian::Module;
use obsidian::prelude::*;

kernel! {
    use crate::operators::associative::*;

    #[kernel(threads = 96, OP = [0, 1, 2])]
    pub fn device_before<const OP: u32>(xs: DPull<u32>, init: u32) -> Program<Device, DPull<u32>> {
        scan_exclusive(xs, init, |a, b| combined::<OP, _>(a, b))
    }

    #[kernel(threads = [256, 33])]
    pub fn device_maps_before(fs: DPull<(u32, u32)>) -> Program<Device, DPull<(u32, u32)>> {
        scan_exclusive(fs, (1, 0), |f, g| then(f, g))
    }

    /// Segments begin where a key ends in a 0 of the base.
    #[kernel(threads = 96, OP = [0, 1, 2])]
    pub fn device_in_segments<const OP: u32>(xs: DPull<u32>, keys: DPull<u32>, base: u32) -> Program<Device, DPull<u32>> {
        segmented_scan(xs, keys.map(|k| k % base == 0), |a, b| combined::<OP, _>(a, b))
    }

    #[kernel(threads = [256, 33])]
    pub fn device_maps_by_key(keys: DPull<u32>, fs: DPull<(u32, u32)>) -> Program<Device, DPull<(u32, u32)>> {
        scan_by_key(keys, fs, |f, g| then(f, g))
    }

    #[kernel(threads = 96, OP = [0, 1, 2])]
    pub fn device_segments<const OP: u32>(xs: DPull<u32>, offsets: DPull<u32>, init: u32) -> Program<Device, DPull<u32>> {
        segmented_reduce(xs, offsets, init, |a, b| combined::<OP, _>(a, b))
    }

    #[kernel(threads = [256, 33])]
    pub fn device_maps_in_segments(fs: DPull<(u32, u32)>, offsets: DPull<u32>) -> Program<Device, DPull<(u32, u32)>> {
        segmented_reduce(fs, offsets, (1, 0), |f, g| then(f, g))
    }

    #[kernel(threads = 96)]
    pub fn device_runs(xs: DPull<u32>) -> Program<Device, DPull<(u32, u32)>> {
        run_length(xs)
    }

    #[kernel(threads = 96)]
    pub fn device_greatest(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        top_k(xs, 20)
    }

    /// By a key that many share: of one key the first ones.
    #[kernel(threads = 96)]
    pub fn device_first_by_key(xs: DPull<(u32, i64)>, k: u32) -> Program<Device, DPull<(u32, i64)>> {
        top_k_by(xs, k, |a, b| a.0 % 1013 <= b.0 % 1013)
    }

    #[kernel(threads = [256, 33])]
    pub fn device_turned(xs: DPull<(u32, i64)>, columns: u32) -> Program<Device, DPull<(u32, i64)>> {
        transpose_2d(xs, columns)
    }

    /// At the level of a block.
    #[kernel(threads = [256, 33])]
    pub fn blocks_in_segments(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(300).as_grid_map(|part| exec_block({
            let before = scan_exclusive(part, 5, |a, b| a + b);
            segmented_scan(before, part.map(|x| x % 7 == 0), |a, b| max(a, b))
        }))
    }
}

/// Every module of this file.
pub fn modules() -> Vec<&'static Module> {
    vec![
        device_before.module(),
        device_maps_before.module(),
        device_in_segments.module(),
        device_maps_by_key.module(),
        device_segments.module(),
        device_maps_in_segments.module(),
        device_runs.module(),
        device_greatest.module(),
        device_first_by_key.module(),
        device_turned.module(),
    ]
}
