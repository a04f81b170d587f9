//! The programs of "Expressive array constructs in an embedded GPU kernel programming language" (DAMP 2012).

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// DAMP 2012 §1.4: one array after the other, by a conditional for each element and by two loops.
    #[kernel(threads = [32, 1, 33, 64, 100, 256, 1024])]
    pub fn append_pull(a: Pull<i32, 16>, b: Pull<i32, 16>) -> Push<Grid, i32> {
        singleton(a.append(b)).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [16, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn append_push(a: Pull<i32, 16>, b: Pull<i32, 16>) -> Push<Grid, i32> {
        singleton(0).as_grid_map(|_i| a.push().append(b.push()))
    }

    /// Pairs as neighbours, by a conditional on parity and by two writes.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn unpair_pull(a: Pull<i32, 32>, b: Pull<i32, 32>) -> Push<Grid, i32> {
        singleton(a.zip(b).unpair()).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [32, 1, 33, 64, 100, 256, 1024])]
    pub fn unpair_push(a: Pull<i32, 32>, b: Pull<i32, 32>) -> Push<Grid, i32> {
        singleton(a.zip(b)).as_grid_map(|c| c.push().unpair())
    }

    /// An ascending half and a descending one, merged.
    #[kernel(threads = [16, 1, 32, 33, 64, 100, 256, 1024])]
    pub fn merged(input: Pull<i32, 16>) -> Push<Grid, i32> {
        singleton(0).as_grid_map(|_b| exec_block(input.bitonic_merge()))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn merged_by(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(64).as_grid_map(|c| exec_block(c.bitonic_merge_by(|a, b| a.0 <= b.0)))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        append_pull.kernel(),
        append_push.kernel(),
        unpair_pull.kernel(),
        unpair_push.kernel(),
        merged.kernel(),
        merged_by.kernel(),
    ]
}
