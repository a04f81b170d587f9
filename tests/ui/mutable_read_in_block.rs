use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn last(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| exec_block({
            let m = c.new_mut();
            m[63]
        }))
    }
}

fn main() {}
