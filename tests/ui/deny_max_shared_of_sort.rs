use obsidian::prelude::*;

kernel! {
    #[kernel(deny(max_shared = 4096))]
    pub fn sorted(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(2048).as_grid_map(|c| exec_block(c.sort()))
    }
}

fn main() {}
