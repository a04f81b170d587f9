use obsidian::prelude::*;

kernel! {
    fn parts<const K: u32>(xs: Pull<i32>) -> Pull<Pull<i32>> {
        xs.split_up(K)
    }

    #[kernel(threads = 64)]
    pub fn firsts(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| parts(c).map(|p| p[0]).push())
    }
}

fn main() {}
