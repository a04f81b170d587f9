use obsidian::prelude::*;

kernel! {
    const taps: u32 = 3;
}

kernel! {
    const LEFT: u32 = RIGHT + 1;
    const RIGHT: u32 = LEFT - 1;
    const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];

    #[kernel(threads = 64)]
    pub fn called(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.map(|x| x * WEIGHTS(1)).push()
    }

    #[kernel(threads = 64)]
    pub fn mixed(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.map(|x| x * [1.0, true][0]).push()
    }

    #[kernel(threads = 64)]
    pub fn outside(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| x * LIMIT).push()
    }
}

fn main() {}
