use obsidian::prelude::*;

kernel! {
    #[kernel(threads = [32, 64, 96, 128], N = [1, 2, 3, 4, 5, 6, 7, 8], M = [1, 2, 3, 4, 5, 6, 7, 8, 9])]
    pub fn copy<const N: u32, const M: u32>(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(N * M).as_grid_map(|c| c.push())
    }
}

fn main() {}
