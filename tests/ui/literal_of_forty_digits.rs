use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn add(xs: DPull<u64>) -> DPush<Grid, u64> {
        xs.map(|x| x + 1234567890123456789012345678901234567890).push()
    }
}

fn main() {}
