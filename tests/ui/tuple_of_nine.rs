use obsidian::prelude::*;

kernel! {
    fn f(t: (u8, u8, u8, u8, u8, u8, u8, u8, u8)) -> u8 { t.0 }
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
