use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.push().split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
