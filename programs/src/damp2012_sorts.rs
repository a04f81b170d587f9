//! The sorting networks of DAMP 2012 §3, on 512 elements: 45 phases each.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// By pull arrays: a thread and a conditional for each element.
    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn tsort_pull(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.tsort1()))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn tsort_push(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.tsort2()))
    }

    #[kernel(threads = [512, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn vsort_pull(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.vsort1()))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn vsort_push(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.vsort2()))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn bitonic(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.sort_bitonic()))
    }

    /// By key: the value follows it, and of equal keys every value stays.
    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn tsort_by(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(128).as_grid_map(|c| exec_block(c.sort_tree_by(|a, b| a.0 <= b.0)))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn vsort_by(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(128).as_grid_map(|c| exec_block(c.sort_periodic_by(|a, b| a.0 <= b.0)))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn bitonic_by(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(128).as_grid_map(|c| exec_block(c.sort_bitonic_by(|a, b| a.0 <= b.0)))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        tsort_pull.kernel(),
        tsort_push.kernel(),
        vsort_pull.kernel(),
        vsort_push.kernel(),
        bitonic.kernel(),
        tsort_by.kernel(),
        vsort_by.kernel(),
        bitonic_by.kernel(),
    ]
}
