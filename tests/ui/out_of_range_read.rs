use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn neighbours(input: DPull<i32>) -> DPush<Grid, i32> {
        mk_pull(input.len(), |i| input[i] + input[i + 1]).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
