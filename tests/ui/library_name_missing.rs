use obsidian::prelude::*;

kernel! {
    use obsidian_fixture_nets::nets::{sort_odd_evn, zzz};

    #[kernel(threads = 64)]
    pub fn sorted(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| exec_block(c.sort_odd_evn()))
    }
}

fn main() {}
