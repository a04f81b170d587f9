use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.push()
    }

    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.push()
    }
}

fn main() {}
