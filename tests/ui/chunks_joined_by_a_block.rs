use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(250).as_grid_map(|c| c.chunks(32).map(|w| exec_warp(w.push())).as_block())
    }
}

fn main() {}
