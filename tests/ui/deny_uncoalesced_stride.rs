use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64, deny(uncoalesced))]
    pub fn thinned(xs: Pull<f32, 8192>) -> Push<Grid, f32> {
        singleton(xs).as_grid_map(|c| exec_block(mk_pull(256, |i| c[i * 32]).push()))
    }
}

fn main() {}
