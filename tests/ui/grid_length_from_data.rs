use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn firsts(xs: DPull<u32>) -> DPush<Grid, u32> {
        mk_pull(non_empty(xs)[0], |i| i).push()
    }
}

fn main() {}
