use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(input: Pull<i32, 1000>) -> Push<Grid, i32> {
        input.split_up(512).as_grid_map(|c| c.push())
    }
}

fn main() {}
