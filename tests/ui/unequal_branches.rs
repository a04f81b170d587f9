use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn halves(xs: DPull<i32>, first: bool) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| (if first { c.take(16) } else { c.take(32) }).push())
    }
}

fn main() {}
