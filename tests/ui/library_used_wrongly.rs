//! The mistake is the kernel's, though it shows inside the library.

use obsidian::prelude::*;

kernel! {
    use obsidian_fixture_nets::nets::*;

    #[kernel(threads = 64)]
    pub fn sorted(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(7).as_grid_map(|c| exec_block(c.sort_odd_even()))
    }
}

fn main() {}
