use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.map(|v| if v { 1 } else { 2 }).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
