use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn sums(xs: DPull<(i32, i32)>) -> DPush<Grid, i32> {
        xs.map(|(a, a)| a + a).push()
    }
}

fn main() {}
