use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn some(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        let n = non_empty(xs)[0];
        mk_pull(n, |i| i).compute()
    }
}

fn main() {}
