use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn sorted(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        xs.sort()
    }
}

fn main() {}
