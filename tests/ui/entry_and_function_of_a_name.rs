use obsidian::prelude::*;

kernel! {
    fn scaled(x: f32) -> f32 {
        2.0 * x
    }

    #[kernel(threads = 64)]
    pub fn scaled(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.map(scaled).push()
    }
}

fn main() {}
