use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn maybe(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        if non_empty(xs)[0] > 3 { xs.map(|x| x + 1).compute() } else { xs }
    }
}

fn main() {}
