use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.map(|v| { let mut a = v;
        for i in 0..100000000 { a = a + i;
        } a }).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
