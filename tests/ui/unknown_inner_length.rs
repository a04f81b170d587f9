use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(n: u32, input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(n).as_grid_map(|c| exec_block(c.reverse().compute()))
    }
}

fn main() {}
