//! The files of this crate as text, but for `large.rs`, whose sizes the interpreter cannot run. `tests/support/sources` takes
//! this file by its path, so that the compiler's own tests need not link the crate.

macro_rules! texts {
    ($($file:literal),* $(,)?) => {
        /// Name and text of every file that `files!` lists.
        pub const TEXTS: &[(&str, &str)] = &[$(($file, include_str!($file))),*];
    };
}

texts!(
    "any_length.rs",
    "accelerate2011.rs",
    "accelerate_report.rs",
    "damp2012.rs",
    "damp2012_large.rs",
    "damp2012_sorts.rs",
    "expert.rs",
    "fcl2016.rs",
    "functions.rs",
    "generic.rs",
    "iccs2010.rs",
    "jfp2016.rs",
    "jfp2016_scans.rs",
    "lanes.rs",
    "language.rs",
    "matrices.rs",
    "mutable.rs",
    "pipelines.rs",
    "registers.rs",
    "rows.rs",
    "scalars.rs",
    "tuned.rs",
);
