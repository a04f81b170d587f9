//! Libraries of kernels, from this crate.

use obsidian::prelude::*;

mod libs {
    use obsidian::prelude::*;

    kernel_lib! {
        /// Pairs.
        pub mod pairs {
            /// The sum of two.
            pub fn both<T: Num>(a: T, b: T) -> T { a + b }
        }

        mod hidden {
            use super::pairs::*;
            pub fn thrice<T: Num>(a: T) -> T { both(a, both(a, a)) }
        }

        /// Uses the others.
        pub mod sums {
            use super::pairs::both;
            use self::super::hidden::*;

            /// Three times the sum.
            pub fn sum3<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Push<L, T>> {
                xs.map(|x| thrice(x)).red2(both)
            }
        }
    }
}

kernel! {
    use libs::sums::*;
    use libs::pairs::both as plus;

    /// Hides nothing of the library's.
    fn thrice(a: i32) -> i32 { a }

    #[kernel(threads = 64)]
    pub fn sums(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| plus(thrice(x), 1)).split_up(256).as_grid_map(|c| exec_block(c.sum3()))
    }
}

#[obsidian::kernel(threads = 32, use(libs::pairs))]
pub fn doubled(xs: DPull<i32>) -> DPush<Grid, i32> {
    xs.map(|x| both(x, x)).split_up(32).as_grid_map(|c| c.push())
}

#[obsidian::kernel(use(libs::pairs))]
mod inner {
    use super::libs::sums::sum3;
    #[kernel(threads = 32)]
    pub fn inner(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| both(x, x)).split_up(32).as_grid_map(|c| exec_block(c.sum3()))
    }
}

#[test]
fn works() {
    let dev = Device::cpu();
    let x = dev.upload(&[1i32; 512]).unwrap();
    assert_eq!(sums.run(&dev, &x).unwrap().to_vec().unwrap(), [1536, 1536]);
    assert_eq!(doubled.run(&dev, &x).unwrap().to_vec().unwrap(), [2; 512]);
    assert_eq!(inner::inner.run(&dev, &x).unwrap().to_vec().unwrap(), [192; 16]);
}
