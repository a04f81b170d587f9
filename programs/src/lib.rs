//! The programs of the papers, a file a paper or theme: the tests run them, the example `emit` prints them. Every kernel has the
//! variants that virtualisation is tested with: 1, 32, 33, 64, 100, 256 and 1024 threads; the first is the text's own.

pub mod large;

use obsidian::Kernel;

/// The files: what they hold is seen from here, and listed in `all` and `TEXTS`.
macro_rules! files {
    ($($file:ident),* $(,)?) => {
        $(pub mod $file;)*
        pub use {$($file::*),*};

        /// These files by name, and what stands in them: tests compile it anew, also where there is no source tree.
        pub const TEXTS: &[(&str, &str)] =
            &[$((concat!(stringify!($file), ".rs"), include_str!(concat!(stringify!($file), ".rs")))),*];

        /// Every kernel of these files, as the interpreter can run them too.
        pub fn all() -> Vec<&'static Kernel> {
            [$($file::all()),*].concat()
        }
    };
}

files!(
    accelerate2011,
    damp2012,
    damp2012_large,
    damp2012_sorts,
    fcl2016,
    functions,
    generic,
    iccs2010,
    jfp2016,
    jfp2016_scans,
    lanes,
    language,
    mutable,
    scalars,
);
