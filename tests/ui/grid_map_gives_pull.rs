use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| c.map(|x| x + 1))
    }
}

fn main() {}
