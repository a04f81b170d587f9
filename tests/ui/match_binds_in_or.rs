use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn greater(input: DPull<(u32, u32)>) -> DPush<Grid, u32> {
        input.map(|p| match p { (0, x) | (x, 0) => x, (a, b) => a + b }).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
