use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| singleton(c[64]).push())
    }
}

fn main() {}
