use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(64).as_grid_map(|c| c.split_up(8).push())
    }
}

fn main() {}
