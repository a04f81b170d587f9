//! What the code that `kernel!` generates is written against: the constants of a kernel and the calls that launch it.
//!
//! Hidden from the documentation; a change here is a change of the compiler's printed Rust in the same commit.

/// The standard library by a name that crates with `#![no_std]` have, too.
pub extern crate std;

pub use ::half::{bf16, f16};
pub use obsidian_abi::*;

pub use crate::call::{Input, OnMut, Side, Update, Values, device_of};
pub use crate::element::sealed::Fields;
pub use crate::element::{ScalarArg, store_field};
pub use crate::host::HostBytes;
pub use crate::kernel::{Choice, Chooses};
pub use crate::lanes;
pub use crate::launch::{Arg, Plan, plan};
pub use crate::memory::RawBuffer;
pub use crate::module::{ModulePlan, plan as plan_module};
pub use crate::split::{Part, Split};

/// What a kernel prints: a text at once, to the standard output.
pub fn print(text: std::fmt::Arguments<'_>) {
    std::print!("{text}");
}
