use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn folded(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| write(c[i], i / 2))))
    }
}

fn main() {}
