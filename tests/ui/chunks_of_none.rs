use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(input: DPull<i32>) -> DPush<Grid, i32> {
        input.chunks(0).as_grid_map(|c| c.push())
    }
}

fn main() {}
