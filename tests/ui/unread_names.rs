//! What rustc warns of in Rust it warns of in kernels, here as errors; a `_` or an attribute silences it.
#![deny(unused_variables, deprecated)]

use obsidian::{kernel, prelude::*};

kernel! {
    #[kernel(threads = 64)]
    pub fn zeros(xs: DPull<u32>, ys: DPull<u32>, _zs: DPull<u32>) -> DPush<Grid, u32> {
        let n = xs.len();
        let m = n + 1;
        mk_pull(n, |i| helper(0, m)).push()
    }

    fn helper(x: u32, r#type: u32) -> u32 {
        x
    }

    #[allow(unused_variables, dead_code)]
    fn silenced(x: u32) -> u32 {
        1
    }

    fn _silenced() -> u32 {
        1
    }

    pub fn squares(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| x * x).push()
    }
}

kernel_lib! {
    mod lib {
        pub fn exported(x: u32) -> u32 {
            1
        }

    }
}

#[kernel(threads = 64)]
pub fn alone(xs: DPull<u32>, by: u32) -> DPush<Grid, u32> {
    xs.push()
}

fn main() {}
