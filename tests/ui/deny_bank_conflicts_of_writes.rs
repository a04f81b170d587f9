use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 32, deny(bank_conflicts))]
    pub fn turned(xs: Pull<f32, 1024>) -> Push<Grid, f32> {
        singleton(xs).as_grid_map(|c| exec_block(c.reshape(32, 32).transpose().flatten().reverse().compute().reshape(32, 32).transpose().flatten().push()))
    }
}

fn main() {}
