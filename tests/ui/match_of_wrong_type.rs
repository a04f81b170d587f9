use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn digits(input: DPull<u32>) -> DPush<Grid, u32> {
        input.map(|x| match x { true => 1, _ => 2 }).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
