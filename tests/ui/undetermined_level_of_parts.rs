use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn rows(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(256).as_grid_map(|c| c.split_up(4).as_block_map(|p| p.map(|x| x + 1).push()))
    }
}

fn main() {}
