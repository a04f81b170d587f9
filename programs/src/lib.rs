//! The programs of the papers, one file per paper or theme: the tests run them, the example `emit` prints them. Every
//! kernel has the variants that virtualisation is tested with: 1, 32, 33, 64, 100, 256 and 1024 threads; the first is
//! the text's own.

// Clippy would take a fifth of the build to walk what kernels become, where its lints are off.
#![allow(clippy::all)]

pub mod device;
pub mod device_chains;
pub mod device_papers;
pub mod device_segments;
pub mod large;
mod operators;
pub mod texts;

use obsidian::Kernel;

/// The files: what they hold is seen from here, and listed in `all`.
macro_rules! files {
    ($($file:ident),* $(,)?) => {
        $(pub mod $file;)*
        pub use {$($file::*),*};

        /// Every kernel of these files, as the interpreter can run them too.
        pub fn all() -> Vec<&'static Kernel> {
            [$($file::all()),*].concat()
        }
    };
}

files!(
    any_length,
    accelerate2011,
    accelerate_report,
    damp2012,
    damp2012_large,
    damp2012_sorts,
    expert,
    fcl2016,
    functions,
    generic,
    iccs2010,
    jfp2016,
    jfp2016_scans,
    lanes,
    language,
    matrices,
    mutable,
    pipelines,
    registers,
    rows,
    scalars,
    tuned,
);
