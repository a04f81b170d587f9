use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(xs: Pull<i32, 1024>) -> Push<Grid, i32> {
        xs.compute_padded(1).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
