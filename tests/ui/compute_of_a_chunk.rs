use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn twice(input: DPull<i32>) -> DPush<Grid, i32> {
        input.chunks(256).as_grid_map(|c| exec_block(c.map(|x| x + x).compute().reverse().push()))
    }
}

fn main() {}
