use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn counted(bins: DMut<u32>, xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| bins[x]).push()
    }
}

fn main() {}
