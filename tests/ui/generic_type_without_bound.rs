use obsidian::prelude::*;

kernel! {
    #[kernel(T = [i32, bool])]
    pub fn copy<T: Num>(input: DPull<T>) -> DPush<Grid, T> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
