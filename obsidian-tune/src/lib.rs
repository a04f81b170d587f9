//! The variants of a kernel as a design space.
//!
//! In: kernels in files. Out: which variant is the fastest, on which device, and how that was found. Runs at tuning time, never
//! while a user's program is compiled.

pub mod arguments;
pub mod bench;
pub mod checksum;
pub mod cover;
pub mod deep;
pub mod launch;
pub mod output;
pub mod prune;
pub mod random;
pub mod record;
pub mod roofline;
pub mod rounds;
pub mod search;
pub mod session;
pub mod source;
pub mod space;
pub mod statistics;
