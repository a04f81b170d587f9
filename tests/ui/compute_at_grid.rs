use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn twice(input: Pull<i32, 1024>) -> Push<Grid, i32> {
        let doubled = input.map(|x| x + x).compute();
        doubled.split_up(256).as_grid_map(|c| c.push())
    }
}

fn main() {}
