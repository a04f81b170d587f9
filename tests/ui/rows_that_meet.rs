use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn clear(m: DMut<u32>, width: u32) -> Program<Grid, ()> {
        distr_par(m.len() / width, |r| for_all(width, |c| { if r + c < m.len() { m[r + c] = 0; } }))
    }
}

fn main() {}
