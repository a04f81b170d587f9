use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 32)]
    pub fn overlapping(input: Pull<i32, 64>) -> Push<Grid, i32> {
        singleton(input).as_grid_map(|c| push_each(32, 2, |i, j| (c[2 * i + j], i + j)))
    }

    #[kernel(threads = 32)]
    pub fn by_block(input: DPull<i32>) -> DPush<Grid, i32> {
        iota(input.len() / 64).as_grid_map(|b| push_each(32, 2, |i, j| (input[64 * b + i], (2 * i + j) ^ (b & 1))))
    }

    #[kernel(threads = 32)]
    pub fn spread(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).map(|c| exec_block(c)).interleave_with(|i, j| 64 * i + j)
    }

    #[kernel(threads = 32)]
    pub fn sorted(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(100).as_grid_map(|c| exec_block(c.sort_tree()))
    }
}

fn main() {}
