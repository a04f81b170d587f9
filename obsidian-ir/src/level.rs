//! The levels, ordered `Thread < Warp < Block < Grid < Device`: those of the GPU hierarchy (JFP 2016 §3.2), and the host
//! that launches grids one after the other.

use std::fmt;

/// A level of the hierarchy. The order is the nesting of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// One sequential thread.
    Thread,
    /// 32 threads in step, synchronised by a warp barrier.
    Warp,
    /// The threads that share memory and a block barrier.
    Block,
    /// All blocks of a launch: no shared memory, no synchronisation.
    Grid,
    /// Launches one after the other. What one has stored, the next may read.
    Device,
}

impl Level {
    /// All levels, innermost first.
    pub const ALL: [Level; 5] = [Level::Thread, Level::Warp, Level::Block, Level::Grid, Level::Device];

    /// The level that holds several of this one; `None` above `Device`.
    pub fn step(self) -> Option<Level> {
        match self {
            Level::Thread => Some(Level::Warp),
            Level::Warp => Some(Level::Block),
            Level::Block => Some(Level::Grid),
            Level::Grid => Some(Level::Device),
            Level::Device => None,
        }
    }

    /// The name used in source and messages.
    pub fn name(self) -> &'static str {
        match self {
            Level::Thread => "Thread",
            Level::Warp => "Warp",
            Level::Block => "Block",
            Level::Grid => "Grid",
            Level::Device => "Device",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
