use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    fn f(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.compute_lanes().push())
    }
}

fn main() {}
