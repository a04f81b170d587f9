use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<i32>, n: i32) -> DPush<Grid, i32> {
        x.split_up(64).as_grid_map(|c| mk_pull(64, |i| c[n]).push())
    }
}

fn main() {}
