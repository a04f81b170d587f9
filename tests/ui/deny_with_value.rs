use obsidian::prelude::*;

kernel! {
    #[kernel(deny(bank_conflicts = 2))]
    pub fn copy(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
