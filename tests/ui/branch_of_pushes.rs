use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn either(xs: DPull<f32>, ys: DPull<f32>, first: u32) -> DPush<Grid, f32> {
        let pairs = xs.split_up(64).zip(ys.split_up(64));
        pairs.as_grid_map(|p| if first == 1 { p.0.push() } else { p.1.reverse().push() })
    }
}

fn main() {}
