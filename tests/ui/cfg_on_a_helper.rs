use obsidian::prelude::*;

kernel! {
    #[cfg(unix)]
    fn one_more(x: i32) -> i32 {
        x + 1
    }

    #[kernel(threads = 64)]
    pub fn add(input: DPull<i32>) -> DPush<Grid, i32> {
        input.map(one_more).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
