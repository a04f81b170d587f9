//! Several mistakes in an attribute, and one in the body: all are told at once.
use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 2048, thread = 32, deny(guard, max_barriers), SIZE = [16, 3.5])]
    pub fn doubled<const SIZE: u32>(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(SIZE).as_grid_map(|c| c.map(|x| x * 2.5).push())
    }

    #[kernel(threads = 64, shared = "all")]
    pub fn copied(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.pushed())
    }
}

fn main() {}
