use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x x).push()
    }
}

fn main() {}
