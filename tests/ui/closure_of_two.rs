use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.map(|a, b| a + b).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
