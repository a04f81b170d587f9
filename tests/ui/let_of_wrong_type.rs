use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        let a: u32 = 1.0;
        x.map(|v| v + a).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
