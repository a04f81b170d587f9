use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn lanes(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.compute_lanes().push()
    }
}

fn main() {}
