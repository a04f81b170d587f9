use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(xs: DPull<(i32, i32)>) -> DPush<Grid, i32> {
        xs.map(|p| p[1]).push()
    }
}

fn main() {}
