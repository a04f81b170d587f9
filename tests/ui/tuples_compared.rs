use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<(u32, u32)>) -> DPush<Grid, bool> {
        x.map(|v| v == v).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
