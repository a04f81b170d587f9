use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn sorted(xs: Pull<u32, 8>) -> Program<Device, Pull<u32>> {
        xs.sort_tree()
    }
}

fn main() {}
