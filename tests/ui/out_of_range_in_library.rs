use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn shifted(input: DPull<u32>, by: u32) -> DPush<Grid, u32> {
        input.split_up(64).as_grid_map(|c| c.ix_map(|i| i + by).push())
    }
}

fn main() {}
