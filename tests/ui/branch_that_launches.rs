use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn maybe(n: u32, xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        if n > 3 { xs.map(|x| x + n).compute() } else { xs }
    }
}

fn main() {}
