use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<(i32, f32)>) -> DPush<Grid, i32> {
        x.map(|v| v.2).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
