use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| x[0]).push()
    }
}

fn main() {}
