//! Reported once, in the library; the kernel that uses it adds nothing.

use obsidian::prelude::*;

kernel_lib! {
    pub mod mine {
        pub fn stored<T>(xs: Pull<T>) -> Pull<T> {
            xs.compute()
        }

        pub fn shifted<T: Num>(x: T) -> T {
            x + 1u64
        }
    }
}

kernel! {
    use mine::*;

    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| exec_block(c.stored().push()))
    }
}

fn main() {}
