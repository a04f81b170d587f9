use obsidian::prelude::*;

kernel! {
    #[kernel(threads = [64, 128], SEQ = [2, 4])]
    pub fn doubled(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| x + x).push()
    }
}

fn main() {}
