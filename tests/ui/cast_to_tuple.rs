use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.map(|v| (v as (u32, u32)).0).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
