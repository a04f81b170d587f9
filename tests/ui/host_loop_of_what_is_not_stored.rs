use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn added(xs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {
        let mut now = xs;
        for k in 0..n {
            now = now.map(|x| x + k);
        }
        now
    }
}

fn main() {}
