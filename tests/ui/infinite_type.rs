use obsidian::prelude::*;

kernel! {
    fn f(x: u32) -> u32 { let g = |h| h(h); x }
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
