use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64, deny(guards, uncoalesced))]
    pub fn by_place(places: Pull<u32, 4096>, xs: Pull<f32, 4096>) -> Push<Grid, f32> {
        places.split_up(64).as_grid_map(|c| c.map(|i| xs[2 * i]).push())
    }
}

fn main() {}
