use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn placed(input: DPull<i32>, places: Pull<u32, 64>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push().ix_map(|i| places[i] & 63))
    }
}

fn main() {}
