use obsidian::prelude::*;

kernel! {
    fn firsts<const N: u32>(xs: Pull<i32, N>) -> Pull<i32, { N / 4 }> {
        xs.take(N / 2)
    }

    #[kernel]
    pub fn starts(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| firsts(c).push())
    }
}

fn main() {}
