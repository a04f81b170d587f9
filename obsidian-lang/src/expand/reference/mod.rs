//! Kernel functions as Rust items that are only there to be read: by rustdoc, and by rust-analyzer, which finds the
//! author's tokens in them. Nothing here changes what a kernel compiles to.

mod inert;
mod signature;

pub(super) use inert::ident;
pub use inert::{beside_kernels, in_library};
pub use signature::{Fidelity, Rendered, render};

/// The names of `obsidian::library::types` that a signature may contain.
pub const TYPES: [&str; 29] = [
    "Pull", "DPull", "BPull", "Push", "DPush", "DMat", "PushMat", "Program", "Mut", "DMut", "Thread", "Warp", "Block",
    "Grid", "Device", "Step", "Level", "AtMost", "Compute", "Size", "Data", "Ord", "Num", "Int", "Float", "f16",
    "bf16", "Len", "Bits",
];
