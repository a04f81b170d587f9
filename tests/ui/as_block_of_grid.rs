use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(input: Pull<i32, 1024>) -> Push<Grid, i32> {
        let grids = input.split_up(512).map(|c| c.split_up(64).as_grid_map(|p| p.push()));
        grids.as_block().compute().split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
