//! Kernels in files of their own, compiled by a build script.
//!
//! A kernel file holds what stands inside `kernel! { .. }`; a library file holds `kernel_lib! { .. }`. In `build.rs`:
//!
//! ```no_run
//! use obsidian_build::{Builder, Emit, Error};
//!
//! fn main() -> Result<(), Error> {
//!     Builder::new().file("kernels/*.rs").libraries("kernels/libs/*.rs").emit(Emit::ALL).compile()?;
//!     Ok(())
//! }
//! ```
//!
//! Then `obsidian::include_kernels!();` in the crate gives the entries of all files, `obsidian::include_kernels!("dot");` those of
//! `kernels/dot.rs`, typed and launched as those of `kernel!`. What [`Builder::emit`] asks for lies in the folder `obsidian` in
//! `OUT_DIR`, for programs in other languages; [`Manifest`] says what is there.

mod builder;
mod emit;
mod error;
mod expression;
mod files;
mod kernels;
mod libraries;
mod manifest;
mod nvcc;

/// What `cargo obsidian` shares with build scripts. No part of the interface: it changes without notice.
#[doc(hidden)]
pub mod shared {
    pub use crate::emit::plain_name;
    pub use crate::error::{Message, Source};
    pub use crate::kernels::tokens_of;
    pub use crate::libraries::among;
    pub use crate::manifest::{Described, contract, for_other_languages};
}

pub use builder::Builder;
pub use emit::Emit;
pub use error::Error;
pub use manifest::{FORMAT, Manifest};
