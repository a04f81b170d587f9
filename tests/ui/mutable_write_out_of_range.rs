use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn scatter(to: DPull<u32>, out: DMut<u32>) -> Program<Grid, ()> {
        for_all(to.len(), |i| {
            out[to[i]] = i;
        })
    }
}

fn main() {}
