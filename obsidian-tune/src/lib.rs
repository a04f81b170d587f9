//! The variants of a kernel as a design space.
//!
//! In: kernels in files. Out: which variant is the fastest, on which device, and how that was found. Runs at tuning time, never
//! while a user's program is compiled.

pub mod source;
