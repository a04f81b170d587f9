//! Pictures of programs, as SVG: which elements are computed from which (`network`), and where arrays lie over time
//! (`memory`). For the first block of a laid-out program. Takes programs, gives text; decides nothing.

mod memory;
mod network;
mod svg;

pub use memory::memory;
pub use network::{TooLarge, network};
