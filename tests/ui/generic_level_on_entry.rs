use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn copy<L: Level>(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
