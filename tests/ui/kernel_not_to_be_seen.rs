//! A `pub fn` without `#[kernel]`, and a `#[kernel] fn` without `pub`.

mod kernels {
    use obsidian::prelude::*;

    kernel! {
        pub fn squares(xs: DPull<u32>) -> DPush<Grid, u32> {
            xs.map(|x| x * x).push()
        }

        #[kernel(threads = 64)]
        fn doubles(xs: DPull<u32>) -> DPush<Grid, u32> {
            xs.map(|x| x + x).push()
        }
    }
}

fn main() {
    let _ = kernels::squares;
    let _ = kernels::doubles;
}
