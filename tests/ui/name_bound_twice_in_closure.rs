use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn sums(xs: DPull<i32>, ys: DPull<i32>) -> DPush<Grid, i32> {
        xs.zip_with(ys, |a, a| a + a).push()
    }
}

fn main() {}
