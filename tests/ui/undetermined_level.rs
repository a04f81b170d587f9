use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.split_up(8).as_block_map(|p| p.push()))
    }
}

fn main() {}
