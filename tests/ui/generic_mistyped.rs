use obsidian::prelude::*;

kernel! {
    #[kernel(THREAD = 64)]
    pub fn copy<const THREADS: u32>(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(THREADS).as_grid_map(|c| c.push())
    }
}

fn main() {}
