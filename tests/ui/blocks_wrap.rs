use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrap(y: DMut<u32>) -> Program<Grid, ()> {
        distr_par(8, |b| for_all(64, |i| {
            let at = b * 1073741824 + i;
            if at < y.len() { y[at] = b; }
        }))
    }
}

fn main() {}
