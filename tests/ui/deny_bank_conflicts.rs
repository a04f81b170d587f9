use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 256, deny(bank_conflicts))]
    pub fn turned(input: Pull<f32, 1024>) -> Push<Grid, f32> {
        singleton(input).as_grid_map(|c| exec_block(c.compute().reshape(32, 32).transpose().flatten().push()))
    }
}

fn main() {}
