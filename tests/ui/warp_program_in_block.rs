use obsidian::prelude::*;

kernel! {
    fn warp_sum(xs: Pull<i32>) -> Program<Warp, Push<Warp, i32>> {
        reduce(xs, |a, b| a + b)
    }

    #[kernel(threads = 64)]
    pub fn wrong(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(32).as_grid_map(|chunk| exec_block(warp_sum(chunk)))
    }
}

fn main() {}
