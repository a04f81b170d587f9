use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn add(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| x + 5_000_000_000).push()
    }
}

fn main() {}
