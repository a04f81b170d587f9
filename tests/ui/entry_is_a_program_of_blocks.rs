use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn clear(out: Mut<u32, 64>) -> Program<Block, ()> {
        for_all(64, |i| {
            out[i] = 0;
        })
    }
}

fn main() {}
