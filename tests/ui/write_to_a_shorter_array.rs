use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(input: Pull<u32, 128>, out: Mut<u32, 64>) -> Program<Grid, ()> {
        write_to(out, input.split_up(64).as_grid_map(|c| c.push()))
    }
}

fn main() {}
