use obsidian::prelude::*;

kernel! {
    #[kernel(deny(max_shared = 100))]
    pub fn sum(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(256).as_grid_map(|c| exec_block(c.reduce(|a, b| a + b)))
    }
}

fn main() {}
