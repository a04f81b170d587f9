use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn halved(xs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {
        let mut now = xs;
        for _k in 0..n {
            let before = now;
            now = mk_pull(before.len() / 2, |i| before[i] + before[i + before.len() / 2]).compute();
        }
        now
    }
}

fn main() {}
