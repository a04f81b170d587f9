use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn first(input: DPull<i32>) -> DPush<Grid, i32> {
        input.as_grid()
    }

    #[kernel(threads = 64)]
    pub fn second(input: DPull<i32>) -> DPush<Grid, f32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
