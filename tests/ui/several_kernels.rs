use obsidian::prelude::*;

kernel! {
    #[kernel(threads = [32, 64], N = [3, 5, 8])]
    pub fn cut<const N: u32>(input: Pull<i32, 64>) -> Push<Grid, i32> {
        input.split_up(N).as_grid_map(|c| c.push())
    }

    #[kernel]
    pub fn read(input: Pull<i32, 64>) -> Push<Grid, i32> {
        singleton(input[64]).as_grid_map(|x| singleton(x).push())
    }
}

fn main() {}
