use obsidian::prelude::*;

kernel! {
    fn scaled<const K: f32>(x: f32) -> f32 {
        x * K
    }

    #[kernel]
    pub fn twice(input: DPull<f32>) -> DPush<Grid, f32> {
        input.map(|x| scaled::<2>(x)).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
