use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64, deny(bank_conflicts))]
    pub fn strided(xs: Pull<f32, 2048>) -> Push<Grid, f32> {
        singleton(xs).as_grid_map(|c| exec_block({
            let stored = c.compute();
            mk_pull(64, |i| stored[i * 32]).push()
        }))
    }
}

fn main() {}
