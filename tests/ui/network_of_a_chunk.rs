use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn sorted(input: DPull<i32>) -> DPush<Grid, i32> {
        input.chunks(256).as_grid_map(|c| exec_block(sort_bitonic(c)))
    }
}

fn main() {}
