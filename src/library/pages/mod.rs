//! One module per theme.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.

pub mod arcs;
pub mod arrays;
pub mod bits;
pub mod chains;
pub mod digits;
pub mod exponentials;
pub mod integers;
pub mod levels;
pub mod logarithms;
pub mod matrices;
pub mod merging;
pub mod mutable;
pub mod networks;
pub mod powers;
pub mod programs;
pub mod reductions;
pub mod scalars;
pub mod scans;
pub mod segments;
pub mod selection;
pub mod sequential;
pub mod sorting;
pub mod stencils;
pub mod totals;
pub mod trigonometry;
pub mod votes;

/// Every function, whatever its theme: what the macro's output names for rust-analyzer.
#[doc(hidden)]
pub mod names {
    pub use super::arcs::*;
    pub use super::arrays::*;
    pub use super::bits::*;
    pub use super::chains::*;
    pub use super::digits::*;
    pub use super::exponentials::*;
    pub use super::integers::*;
    pub use super::levels::*;
    pub use super::logarithms::*;
    pub use super::matrices::*;
    pub use super::merging::*;
    pub use super::mutable::*;
    pub use super::networks::*;
    pub use super::powers::*;
    pub use super::programs::*;
    pub use super::reductions::*;
    pub use super::scalars::*;
    pub use super::scans::*;
    pub use super::segments::*;
    pub use super::selection::*;
    pub use super::sequential::*;
    pub use super::sorting::*;
    pub use super::stencils::*;
    pub use super::totals::*;
    pub use super::trigonometry::*;
    pub use super::votes::*;
}
