use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64, deny(guards))]
    pub fn next(places: DPull<u32>, xs: DPull<f32>) -> DPush<Grid, f32> {
        places.map(|i| xs[i + 1] - xs[i]).push()
    }
}

fn main() {}
