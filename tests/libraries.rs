//! Libraries of kernels, of this crate and of another: what a `use` brings in, whose names count, and that a helper from a
//! library compiles to what it would compile to beside the kernel.

use obsidian::prelude::*;
use obsidian_fixture_nets::nets as other_nets;

mod libs {
    use obsidian::prelude::*;

    kernel_lib! {
        /// Pairs.
        pub mod pairs {
            /// The sum of two.
            pub fn both<T: Num>(a: T, b: T) -> T {
                a + b
            }
        }

        mod hidden {
            //! Not for others.

            use super::pairs::*;

            pub fn thrice<T: Num>(a: T) -> T {
                r#move(both(a, both(a, a)))
            }

            /// A raw name.
            fn r#move<T>(a: T) -> T {
                a
            }
        }

        #[cfg(any())]
        pub mod absent {}

        /// Uses the others, one of them by two ways.
        pub mod sums {
            use self::super::hidden::*;
            use super::pairs::both;

            /// Three times the sum.
            pub fn sum3<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Push<L, T>> {
                xs.map(thrice).red2(both)
            }

            /// Not the standard library's.
            pub fn reverse<T>(xs: Pull<T>) -> Pull<T> {
                xs.rotate(1)
            }
        }
    }
}

kernel! {
    use libs::sums::*;
    use libs::pairs::both as plus;

    /// Not what `sum3` calls.
    fn thrice(a: i32) -> i32 {
        a
    }

    #[kernel(threads = 64)]
    pub fn sums(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| plus(thrice(x), 1)).split_up(256).as_grid_map(|c| exec_block(c.sum3()))
    }

    #[kernel(threads = 32)]
    pub fn turned(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(32).as_grid_map(|c| c.reverse().push())
    }
}

#[test]
fn names_mean_what_they_mean_where_they_are_written() -> Result<(), Error> {
    let dev = Device::cpu();
    let ones = dev.upload(&[1i32; 512])?;
    assert_eq!(sums.run(&dev, &ones)?.to_vec()?, [1536, 1536]);
    let input: Vec<i32> = (0..32).collect();
    let mut expected = input.clone();
    expected.rotate_left(1);
    assert_eq!(turned.run(&dev, &dev.upload(&input)?)?.to_vec()?, expected, "a library hides the standard library");
    Ok(())
}

kernel! {
    /// Hides the standard library's `take` here, but not from `halve`, which calls that one.
    fn take(xs: Pull<i32>, n: u32) -> Pull<i32> {
        xs.drop(n)
    }

    #[kernel(threads = 32)]
    pub fn lower_half(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(8).as_grid_map(|c| {
            let (lo, _) = c.halve();
            lo.take(2).push()
        })
    }
}

#[test]
fn the_standard_library_does_not_see_the_kernels_functions() -> Result<(), Error> {
    let dev = Device::cpu();
    let input: Vec<i32> = (0..16).collect();
    assert_eq!(lower_half.run(&dev, &dev.upload(&input)?)?.to_vec()?, [2, 3, 10, 11]);
    Ok(())
}

#[obsidian::kernel(threads = 32, use(libs::pairs))]
pub fn doubled(xs: DPull<i32>) -> DPush<Grid, i32> {
    xs.map(|x| both(x, x)).split_up(32).as_grid_map(|c| c.push())
}

#[obsidian::kernel(use(libs::pairs))]
mod inner {
    //! A module of kernels.

    use super::libs::sums::sum3;

    #[kernel(threads = 32)]
    pub fn doubled_sums(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| both(x, x)).split_up(32).as_grid_map(|c| exec_block(c.sum3()))
    }
}

#[test]
fn the_attribute_brings_libraries_in() -> Result<(), Error> {
    let dev = Device::cpu();
    let ones = dev.upload(&[1i32; 64])?;
    assert_eq!(doubled.run(&dev, &ones)?.to_vec()?, [2; 64]);
    assert_eq!(inner::doubled_sums.run(&dev, &ones)?.to_vec()?, [192; 2]);
    Ok(())
}

kernel! {
    use other_nets::*;
    use obsidian_fixture_nets::{compare::in_order, deep::sums::sum_of_greater};

    #[kernel(threads = [16, 5, 64])]
    pub fn sorted(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(16).as_grid_map(|c| exec_block(c.sort_odd_even()))
    }

    #[kernel(threads = [16, 5, 64])]
    pub fn sums_of_greater(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(16).as_grid_map(|c| exec_block(c.sum_of_greater()))
    }

    #[kernel(threads = 32)]
    pub fn ordered(xs: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        xs.split_up(32).as_grid_map(|c| c.turn(1).map(in_order).push())
    }
}

#[test]
fn another_crates_libraries_are_used() -> Result<(), Error> {
    let dev = Device::cpu();
    let xs: Vec<u32> = (0..64).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
    let input = dev.upload(&xs)?;
    let mut in_chunks = xs.clone();
    in_chunks.chunks_mut(16).for_each(<[u32]>::sort_unstable);
    let greater = |c: &[u32]| c.chunks(2).fold(0u32, |sum, p| sum.wrapping_add(p[0].max(p[1])));
    let of_chunks: Vec<u32> = xs.chunks(16).map(greater).collect();
    for threads in [16, 5, 64] {
        assert_eq!(sorted.with(Params { threads }).run(&dev, &input)?.to_vec()?, in_chunks, "{threads}");
        assert_eq!(sums_of_greater.with(Params { threads }).run(&dev, &input)?.to_vec()?, of_chunks, "{threads}");
    }
    let pairs: Vec<(u32, u32)> = xs.chunks(2).map(|p| (p[0], p[1])).collect();
    let mut expected: Vec<(u32, u32)> = pairs.iter().map(|p| (p.0.min(p.1), p.0.max(p.1))).collect();
    expected.rotate_left(1);
    assert_eq!(ordered.run(&dev, &dev.upload(&pairs)?)?.to_vec()?, expected);
    Ok(())
}

mod with_library {
    use obsidian::prelude::*;

    kernel! {
        use crate::libs::sums::sum3;

        #[kernel(threads = 64)]
        pub fn kernel(xs: DPull<i32>) -> DPush<Grid, i32> {
            xs.split_up(256).as_grid_map(|c| exec_block(c.sum3()))
        }
    }
}

mod with_helpers {
    use obsidian::prelude::*;

    kernel! {
        fn both<T: Num>(a: T, b: T) -> T {
            a + b
        }

        fn thrice<T: Num>(a: T) -> T {
            both(a, both(a, a))
        }

        fn sum3<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Push<L, T>> {
            xs.map(thrice).red2(both)
        }

        #[kernel(threads = 64)]
        pub fn kernel(xs: DPull<i32>) -> DPush<Grid, i32> {
            xs.split_up(256).as_grid_map(|c| exec_block(c.sum3()))
        }
    }
}

#[test]
fn a_librarys_helper_compiles_to_what_one_beside_the_kernel_does() {
    let (library, helpers) = (with_library::kernel.kernel(), with_helpers::kernel.kernel());
    assert_eq!(library.ir(), helpers.ir());
    assert_eq!(library.ptx(), helpers.ptx());
    assert_eq!(library.cuda(), helpers.cuda());
}
