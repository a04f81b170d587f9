//! The library's own text is not shown; the message names its function.

use obsidian::prelude::*;

kernel_lib! {
    pub mod mine {
        pub fn ninth<T>(xs: Pull<T>) -> Pull<T> {
            singleton(xs[8])
        }
    }
}

kernel! {
    use mine::*;

    #[kernel(threads = 64)]
    pub fn ninths(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(8).as_grid_map(|c| ninth(c).push())
    }
}

fn main() {}
