//! The reference interpreter as the oracle of the tests: arguments for a kernel, the kernel on a device or its text on an
//! interpreter of its target, and whether both gave the same bits; and planted faults.

pub mod against;
pub mod cases;
pub mod data;
pub mod device;
pub mod edit;
pub mod expected;
pub use obsidian_fuzz::flat;
pub mod launch;
pub mod modules;
pub mod same;
pub mod sequence;
pub mod shares;
pub mod sparse;
