use obsidian::prelude::*;

kernel! {
    use obsidian_fixture_nets::{nets::*, nets::{self}};

    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
