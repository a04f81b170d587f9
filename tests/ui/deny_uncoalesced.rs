use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64, deny(uncoalesced))]
    pub fn sums(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(2048).as_grid_map(|c| {
            c.split_up(32).as_block_map(|row| exec_thread(row.seq_reduce(|a, b| a + b)))
        })
    }
}

fn main() {}
