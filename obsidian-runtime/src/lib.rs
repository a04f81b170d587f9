//! Devices, buffers and launches for Obsidian kernels.

#[doc(hidden)]
pub mod abi;
