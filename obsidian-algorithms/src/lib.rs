//! Sums, scans, sorts, selections and runs of buffers of any length, on every device that Obsidian runs on.
//!
//! ```
//! use obsidian::prelude::*;
//! use obsidian_algorithms as algorithms;
//!
//! let dev = Device::cpu();
//! let words = dev.upload(&[7u32, 3, 7, 7, 9, 3])?;
//! let counts = algorithms::run_length(&algorithms::sort(&words)?)?;
//! assert_eq!(counts.to_vec()?, [(3, 2), (7, 3), (9, 1)]);
//! # Ok::<(), Error>(())
//! ```
//!
//! Every function takes buffers and runs where they are. Those that give buffers wait for the device only where a length follows from
//! data; those that give numbers wait. Mistakes, such as arrays of different lengths, are an [`Error`](obsidian::Error) with the numbers in it.
//! Neighbours are combined in an order that follows from the length alone, so floats have the same bits on every device and in every run.
//! Integers wrap. Where elements are compared floats are without NaN.
//!
//! [`dist`] has the same on the ranks of a program, each with a part of an array.
//!
//! Each function is a program of a few lines at the level `Device`, in `src/kernels.rs`: to copy into a `kernel!` of one's own, for other
//! types, other operators, and steps in between that store nothing.

pub mod dist;
mod kernels;
mod number;
mod reductions;
mod scans;
mod selection;
mod sorting;

pub use number::Number;
pub use reductions::{histogram, max, min, product, segmented_sum, sum};
pub use scans::{scan, scan_exclusive};
pub use selection::{filter, run_length, unique};
pub use sorting::{argsort, sort, sort_by_key, top_k};
