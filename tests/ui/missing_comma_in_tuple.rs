use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn pairs(xs: DPull<i32>) -> DPush<Grid, (i32, i32)> {
        xs.map(|x| (x x)).push()
    }
}

fn main() {}
