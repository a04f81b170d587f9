use obsidian::prelude::*;

kernel! {
    fn pairs(xs: Pull<i32, 32>) -> Pull<(i32, i32)> {
        xs.pair()
    }

    #[kernel]
    pub fn sums(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| pairs(c).map(|p| p.0 + p.1).push())
    }
}

fn main() {}
