use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn add(input: DPull<i32>, input: i32) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
