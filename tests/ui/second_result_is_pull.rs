use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(xs: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>) {
        (xs.push(), xs.map(|x| x + 1))
    }
}

fn main() {}
