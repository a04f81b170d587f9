use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn wrong(xs: DPull<f32>) -> DPush<Grid, f32> {
        reduce(xs, |a, b| a + b)
    }
}

fn main() {}
