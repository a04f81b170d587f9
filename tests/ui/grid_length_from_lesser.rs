use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn firsts(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.take(min(non_empty(xs)[0], xs.len())).chunks(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
