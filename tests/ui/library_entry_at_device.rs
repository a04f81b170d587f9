use obsidian::prelude::*;

kernel_lib! {
    pub mod sums {
        #[kernel]
        pub fn total(xs: DPull<i32>) -> Program<Device, Pull<i32>> {
            reduce(xs, |a, b| a + b).compute()
        }
    }
}

fn main() {}
