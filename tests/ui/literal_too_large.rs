use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn add(input: DPull<u8>) -> DPush<Grid, u8> {
        input.map(|x| x + 300).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
