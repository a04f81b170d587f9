use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn settled(xs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {
        let mut now = xs;
        while xs.len() > n {
            now = now.map(|x| x / 2).compute();
        }
        now
    }
}

fn main() {}
