use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn rounds(y: DMut<u32, 4096>) -> Program<Grid, ()> {
        distr_par(64, |b| seq_for(8, |k| for_all(32, |i| { y[(b + k) * 32 + i] = b; })))
    }
}

fn main() {}
