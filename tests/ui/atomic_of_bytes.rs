use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn count(input: DPull<u8>, bins: Mut<u8, 256>) -> Program<Grid, ()> {
        for_all(input.len(), |i| {
            atomic_add(bins, input[i] as u32, 1);
        })
    }
}

fn main() {}
