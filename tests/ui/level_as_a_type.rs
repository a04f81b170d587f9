use obsidian::prelude::*;

kernel! {
    fn same(xs: Pull<Block>) -> u32 {
        xs.len()
    }

    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.push()
    }
}

fn main() {}
