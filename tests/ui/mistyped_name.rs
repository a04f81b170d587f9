use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(input: DPull<i32>) -> DPush<Grid, i32> {
        input.splitup(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
