use obsidian::prelude::*;

kernel_lib! {
    pub mod mine {
        fn twice(x: i32) -> i32 {
            x + x
        }

        #[kernel(threads = [64, 128], deny(guards))]
        pub fn doubled(xs: DPull<i32>) -> DPush<Grid, i32> {
            xs.map(twice).push()
        }
    }
}

fn main() {}
