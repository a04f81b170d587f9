use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| {
            let unused = c.push();
            c.push()
        })
    }
}

fn main() {}
