//! Nobody defines this library: rustc says so, as it follows the path.

use obsidian::prelude::*;

kernel! {
    use no_such::nets::*;

    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
