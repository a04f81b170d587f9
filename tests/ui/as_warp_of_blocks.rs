use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| {
            let parts = chunk.split_up(64).map(|c| exec_block(c.compute()));
            parts.as_warp()
        })
    }
}

fn main() {}
