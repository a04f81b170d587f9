use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn increased(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.iter().map(|x| x + 1).push()
    }

    #[kernel(threads = 64)]
    pub fn copied(xs: DPull<u32>) -> DPush<Grid, u32> {
        mk_pull(xs.len(), |_i| xs[threadIdx()]).push()
    }
}

fn main() {}
