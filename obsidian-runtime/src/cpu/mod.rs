//! The CPU back end: aligned host memory and launches over rayon. In: field pointers and a range of blocks; out:
//! outputs written before the call returns. It does not check arguments: `launch` has done so.

mod host;
mod run;

pub use host::HostBytes;
pub(crate) use run::{Work, run};
