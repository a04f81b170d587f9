use obsidian::prelude::*;

kernel! {
    fn first_of<const N: u32>(xs: Pull<i32>) -> Pull<i32> {
        xs.take(N)
    }

    #[kernel]
    pub fn starts(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| first_of(c).push())
    }
}

fn main() {}
