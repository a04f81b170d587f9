use obsidian::prelude::*;

kernel! {
    fn clear(xs: Pull<i32>) -> Program<Thread, ()> {
        xs[0] = 0;
    }

    #[kernel(threads = 64)]
    pub fn unused(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
