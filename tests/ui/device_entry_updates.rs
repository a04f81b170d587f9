use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn doubled(xs: DMut<u32>) -> Program<Device, DPull<u32>> {
        xs.to_pull().map(|x| x + x).compute()
    }
}

fn main() {}
