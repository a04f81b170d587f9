//! GPU kernels as short functional programs over *pull* and *push* arrays, inside Rust source.
//!
//! While the Rust program compiles, [`kernel!`](prelude::kernel) checks the hierarchy `Thread < Warp < Block < Grid`,
//! evaluates the kernel (recursion, loops and higher-order functions unroll and fuse away) and embeds PTX, CUDA C and a
//! native CPU version. A thin runtime launches whichever the machine can run. No GPU toolkit is needed.
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
/// The prelude's `kernel!` has the same name; stable Rust keeps both kinds of macro under one name, so the attribute is
/// written with its path, `#[obsidian::kernel(threads = 256)]`, or imported where `kernel!` is not used.
///
/// ```
/// use obsidian::prelude::*;
///
/// #[obsidian::kernel(threads = 256)]
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
pub use obsidian_runtime::*;

/// What a program that writes and launches kernels uses.
pub mod prelude {
    pub use obsidian_macros::kernel;
    pub use obsidian_runtime::{Buffer, Device, Element, Error, Kernel, Params, Stream, bf16, f16};
}

/// What generated code names.
#[doc(hidden)]
pub mod __private {
    pub use obsidian_runtime::*;
}
