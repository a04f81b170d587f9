use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn mixed(values: DMut<i32>, places: DPull<u32>) -> Program<Grid, ()> {
        values.write_to(places.split_up(128).as_grid_map(|c| c.map(|i| values.to_pull()[i & 7]).push()))
    }
}

fn main() {}
