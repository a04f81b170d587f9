use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(0).as_grid_map(|c| c.push())
    }
}

fn main() {}
