use obsidian::prelude::*;

kernel! {
    #[kernel(N = [])]
    pub fn copy<const N: u32>(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(N).as_grid_map(|c| c.push())
    }
}

fn main() {}
