use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64, deny(guards))]
    pub fn gathered(places: DPull<u32>, xs: DPull<f32>) -> DPush<Grid, f32> {
        places.split_up(64).as_grid_map(|c| c.map(|i| xs[i]).push())
    }
}

fn main() {}
