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

    /// §4: a bitonic merge of 512 whose columns are done three at a time, by a thread for each eight elements.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn merged_by_threes(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block({
            let far = c.i_swap3(8, min, max).compute();
            far.i_swap3(5, min, max).compute().i_swap3(2, min, max)
        }))
    }

    /// The same of 64, by twos.
    #[kernel(threads = [16, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn merged_by_twos(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(64).as_grid_map(|c| exec_block({
            let far = c.i_swap2(5, min, max).compute();
            far.i_swap2(3, min, max).compute().i_swap2(1, min, max)
        }))
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
        merged_by_threes.kernel(),
        merged_by_twos.kernel(),
        tsort_by.kernel(),
        vsort_by.kernel(),
        bitonic_by.kernel(),
    ]
}
