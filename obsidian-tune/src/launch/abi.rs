//! The interface of the CPU versions of a batch of kernels, compiled with them into their library: the types of
//! `obsidian_runtime::abi` that they name, and the two functions by which the library is called. This file is no module
//! of this crate.

pub extern crate std;

pub use super::lanes;
pub use super::scalar::*;

/// The arguments of a launch.
pub struct NativeArgs<'a> {
    pub buffers: &'a [*mut u8],
    pub lens: &'a [u32],
    pub scalars: &'a [u64],
}

/// They as the library is given them; `loaded.rs` has the same.
#[repr(C)]
pub struct Raw {
    buffers: *const *mut u8,
    buffer_count: usize,
    lens: *const u32,
    len_count: usize,
    scalars: *const u64,
    scalar_count: usize,
}

/// What a launch needs.
pub struct Geometry {
    pub blocks: u32,
    pub outputs: Vec<u64>,
    pub matrices: Vec<Shape>,
}

/// Of an output that is a matrix.
pub struct Shape {
    pub output: usize,
    pub rows: u64,
    pub cols: u64,
}

/// A condition that does not hold.
pub struct Refusal {
    pub condition: &'static str,
    pub found: u64,
}

/// What a kernel prints: a text at once, to the standard output.
pub fn print(text: std::fmt::Arguments<'_>) {
    std::print!("{text}");
}

/// Whether a kernel ran to its end.
///
/// # Safety
/// That of the kernel; the pointers are those of slices.
pub unsafe fn run(
    native: unsafe fn(&NativeArgs<'_>, std::ops::Range<u32>),
    raw: &Raw,
    blocks: std::ops::Range<u32>,
) -> bool {
    use std::slice::from_raw_parts;
    // SAFETY: the caller's promise.
    let ran = std::panic::catch_unwind(|| unsafe {
        let args = NativeArgs {
            buffers: from_raw_parts(raw.buffers, raw.buffer_count),
            lens: from_raw_parts(raw.lens, raw.len_count),
            scalars: from_raw_parts(raw.scalars, raw.scalar_count),
        };
        native(&args, blocks)
    });
    ran.is_ok()
}

/// The number of blocks of a launch, and the lengths of its outputs as far as there is room; `u32::MAX` if the launch
/// is refused.
pub fn plan(geometry: fn(&[u64]) -> Result<Geometry, Refusal>, values: &[u64], outputs: &mut [u64]) -> u32 {
    let planned = std::panic::catch_unwind(|| geometry(values));
    match planned {
        Ok(Ok(geometry)) if geometry.outputs.len() == outputs.len() => {
            outputs.copy_from_slice(&geometry.outputs);
            geometry.blocks
        }
        Ok(Err(refusal)) => {
            eprintln!("{}: {}", refusal.condition, refusal.found);
            u32::MAX
        }
        _ => u32::MAX,
    }
}
