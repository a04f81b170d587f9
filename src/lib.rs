//! GPU kernels as short functional programs over *pull* and *push* arrays, inside Rust source.
//!
//! While the Rust program compiles, [`kernel!`](prelude::kernel) checks the hierarchy `Thread < Warp < Block < Grid`,
//! evaluates the kernel (recursion, loops and higher-order functions unroll and fuse away) and embeds PTX, CUDA C, OpenCL C and a
//! native CPU version. A thin runtime launches whichever the machine can run. No GPU toolkit is needed.
//!
//! [`library`] lists the functions and types of the kernel language; [`kernel_lib!`] shares kernels' helpers.
//!
//! ```
//! use obsidian::prelude::*;
//!
//! kernel! {
//!     /// Tree reduction of a power-of-two array, at any level that can compute.
//!     fn reduce<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
//!         if xs.len() == 1 {
//!             xs.push()
//!         } else {
//!             let (lo, hi) = xs.halve();
//!             reduce(f, lo.zip_with(hi, f).compute())
//!         }
//!     }
//!
//!     /// The sum of each 512 neighbours.
//!     #[kernel(threads = 64)]
//!     pub fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
//!         input.split_up(512).as_grid_map(|chunk| exec_block(reduce(|a, b| a + b, chunk)))
//!     }
//! }
//!
//! # fn main() -> Result<(), obsidian::Error> {
//! let dev = Device::best()?;
//! let input = dev.upload(&(0..1024).collect::<Vec<i32>>())?;
//! let out = reductions.run(&dev, &input)?;
//! assert_eq!(out.to_vec()?, [130816, 392960]);
//! # Ok(()) }
//! ```

/// `#[kernel]`: one entry in attribute form, or a whole inline module.
///
/// The prelude's `kernel!` has the same name, and one line imports both: `use obsidian::{kernel, prelude::*};`. Without
/// that import the attribute is written with its path, `#[obsidian::kernel(threads = 256)]`.
///
/// ```
/// use obsidian::{kernel, prelude::*};
///
/// #[kernel(threads = 256)]
/// pub fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
///     x.zip_with(y, |x, y| alpha * x + y).split_up(4).as_grid_map(|c| c.push())
/// }
///
/// # fn main() -> Result<(), obsidian::Error> {
/// let dev = Device::cpu();
/// let (x, y) = (dev.upload(&[1.1f32; 4])?, dev.upload(&[1.0f32; 4])?);
/// assert_eq!(saxpy.run(&dev, 2.0, &x, &y)?.to_vec()?, [3.2; 4]);
/// # Ok(()) }
/// ```
pub use obsidian_macros::kernel_attribute as kernel;

// Each by its name: a `*` would render the pages of cudarc as ours.
#[cfg(feature = "ndarray")]
pub use obsidian_runtime::Arrays;
#[doc(hidden)]
pub use obsidian_runtime::abi;
#[cfg(feature = "cudarc")]
#[doc(no_inline)]
pub use obsidian_runtime::cudarc;
pub use obsidian_runtime::{
    Backend, BackendInfo, Buffer, Buffers, Choice, Chooses, Device, DeviceInfo, Element, Error, Graph, IndexedArray,
    Input, Kernel, KernelVariant, LaunchOptions, Lent, Limits, Matrix, Module, Moment, OnDevice, ParamValue, Params,
    Pinned, Selector, Share, Side, Stream, Update, Values, backends, bf16, cost, exchange, f16, traffic, wisdom,
};

pub mod library;

/// Functions of the kernel language that see one another. Each `#[kernel(..)] fn` among them becomes an item that the
/// host can launch; the others are helpers and vanish. `use path::to::nets::*;` brings in the functions of a
/// [`kernel_lib!`].
///
/// The macro checks levels and types, evaluates each entry, and embeds PTX, CUDA C, OpenCL C and a native CPU version.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel {
    ($($tokens:tt)*) => { $crate::__private::expand! { kernel [$crate] { $($tokens)* } {} } };
}

/// Helpers of the kernel language for other kernels, of this crate and of others.
///
/// Each module becomes a *library*: `use path::to::nets::*;` inside [`kernel!`](prelude::kernel), or
/// `#[kernel(use(path::to::nets))]`, brings in its `pub` functions. They are checked here, once. They may use
/// one another, the standard library and other libraries; a name in them means what it means here, whatever the kernel
/// that uses them defines. Their documentation is the module's.
///
/// ```
/// use obsidian::prelude::*;
///
/// kernel_lib! {
///     /// Sums.
///     pub mod sums {
///         /// The sum of all elements; a power of two of them.
///         pub fn sum<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Push<L, T>> {
///             xs.red2(add)
///         }
///
///         fn add<T: Num>(a: T, b: T) -> T {
///             a + b
///         }
///     }
/// }
///
/// kernel! {
///     use sums::*;
///
///     #[kernel(threads = 64)]
///     pub fn sums_of_256(xs: DPull<i32>) -> DPush<Grid, i32> {
///         xs.split_up(256).as_grid_map(|c| exec_block(c.sum()))
///     }
/// }
///
/// # fn main() -> Result<(), obsidian::Error> {
/// let dev = Device::cpu();
/// assert_eq!(sums_of_256.run(&dev, &dev.upload(&[2i32; 512])?)?.to_vec()?, [512, 512]);
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! kernel_lib {
    ($($tokens:tt)*) => { $crate::__private::expand! { libraries [$crate] { $($tokens)* } {} } };
}

/// The entries that a build script has made of kernel files with the crate `obsidian-build`: of all files, or of one,
/// `include_kernels!("dot")` of `dot.rs`. They are items where the call stands, typed and launched as those of
/// [`kernel!`](prelude::kernel).
///
/// ```ignore
/// mod kernels {
///     obsidian::include_kernels!();
/// }
///
/// let out = kernels::dot.run(&dev, &x, &y)?;
/// ```
#[macro_export]
macro_rules! include_kernels {
    () => {
        $crate::__include_kernels!("/obsidian/items.rs");
    };
    ($file:literal) => {
        $crate::__include_kernels!("/obsidian/items/", $file, ".rs");
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __include_kernels {
    ($($path:expr),*) => {
        include!(concat!(
            env!("OUT_DIR", "`include_kernels!` brings in what a build script has compiled, and this package has none; \
                call `obsidian_build::Builder` in `build.rs`"),
            $($path),*
        ));
    };
}

/// What a program that writes and launches kernels uses. The functions that a kernel can call need no import; see
/// [`library`].
pub mod prelude {
    #[doc(inline)]
    pub use crate::__kernel as kernel;
    #[doc(inline)]
    pub use crate::kernel_lib;
    pub use obsidian_runtime::{Buffer, Device, Element, Error, Kernel, Matrix, Module, Params, Stream, bf16, f16};
}

/// What generated code names.
#[doc(hidden)]
pub mod __private {
    pub use obsidian_macros::expand;
    pub use obsidian_runtime::{
        Buffer, Choice, Chooses, Device, Element, Error, Kernel, LaunchOptions, Matrix, Module, ParamValue, Share,
        Stream, abi,
    };

    /// Whether kernels that `obsidian-build` of this version has compiled are for this runtime: the code that it writes names what
    /// is here.
    pub const fn is_own_version(version: &str) -> bool {
        let (a, b) = (version.as_bytes(), env!("CARGO_PKG_VERSION").as_bytes());
        let mut i = 0;
        while i < a.len() && i < b.len() && a[i] == b[i] {
            i += 1;
        }
        i == a.len() && i == b.len()
    }
}

#[cfg(test)]
mod tests {
    use super::__private::is_own_version;

    #[test]
    fn only_its_own_version_is_its_own() {
        let own = env!("CARGO_PKG_VERSION");
        assert!(is_own_version(own));
        for other in ["", "9.9.9", &own[1..], &format!("{own}-beta")] {
            assert!(!is_own_version(other), "{other}");
        }
    }
}

/// The programs of the README, of the reference, and of the guide's pages whose blocks are whole programs, compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/src/reference.md")]
    struct Reference;
    #[doc = include_str!("../docs/src/entries.md")]
    struct Entries;
    #[doc = include_str!("../docs/src/first_kernel.md")]
    struct FirstKernel;
    #[doc = include_str!("../docs/src/from_cuda.md")]
    struct FromCuda;
    #[doc = include_str!("../docs/src/from_cub.md")]
    struct FromCub;
    #[doc = include_str!("../docs/src/from_rayon.md")]
    struct FromRayon;
    #[doc = include_str!("../docs/src/from_haskell.md")]
    struct FromHaskell;
    #[doc = include_str!("../docs/src/report.md")]
    struct Report;
    #[doc = include_str!("../docs/src/barrier_costs.md")]
    struct BarrierCosts;
    #[doc = include_str!("../docs/src/ranks.md")]
    struct Ranks;
}
