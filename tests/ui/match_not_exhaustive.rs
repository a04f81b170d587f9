use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn signs(input: DPull<i32>) -> DPush<Grid, i32> {
        input.map(|x| match x { 0 => 0, 1.. => 1 }).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
