use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<i32>) -> DPush<Grid, i32> {
        x.split_up(64).as_grid_map(|c| exec_block(x.split_up(32).as_block_map(|d| exec_warp(d.push()))))
    }
}

fn main() {}
