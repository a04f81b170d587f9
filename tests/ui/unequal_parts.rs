use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(64).as_grid_map(|c| mk_pull(2, |i| if i == 0 { c.take(16) } else { c.drop(32) }).as_block_map(|d| exec_warp(d.push())))
    }
}

fn main() {}
