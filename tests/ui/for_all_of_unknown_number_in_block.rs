use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn clear(out: DMut<u32>) -> Program<Grid, ()> {
        distr_par(1, |_b| for_all(out.len(), |i| { out[i] = 0; }))
    }
}

fn main() {}
