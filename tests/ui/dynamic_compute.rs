use obsidian::prelude::*;

kernel! {
    fn store(xs: DPull<i32>) -> Program<Block, Pull<i32>> {
        xs.compute()
    }

    #[kernel(threads = 64)]
    pub fn unused(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
