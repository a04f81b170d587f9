use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|v| v & v).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
