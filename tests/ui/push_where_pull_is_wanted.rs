use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|chunk| {
            let doubled: Push<Block, i32> = chunk.map(|x| x + x).push();
            doubled.zip_with(chunk, |a, b| a + b).push()
        })
    }
}

fn main() {}
