//! Stencils.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `f` of each element's neighbourhood, `radius` elements to either side; beyond an end, the element at that end is repeated. Nothing is stored: `compute` what is read often first.
///
/// Source: Accelerate 2011 (`stencil`, `Clamp`).
pub fn stencil<A, B, S: Size>(xs: Pull<A, S>, radius: u32, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// `f` of each element's neighbourhood in a matrix, `r` rows up and down and `c` columns to either side; beyond an edge, the element at that edge is repeated. Nothing is stored.
///
/// Source: Accelerate 2011 (`stencil`, `Clamp`).
pub fn stencil_2d<A, B, S: Size, R: Size>(xss: Pull<Pull<A, R>, S>, r: u32, c: u32, f: impl Fn(Pull<Pull<A>>) -> B) -> Pull<Pull<B, R>, S> {
    in_kernels_only()
}

/// As `stencil_2d`; beyond the edges the elements are `fill`.
///
/// Source: Accelerate 2011 (`stencil`, `Constant`).
pub fn stencil_2d_fill<A, B, S: Size, R: Size>(xss: Pull<Pull<A, R>, S>, r: u32, c: u32, fill: A, f: impl Fn(Pull<Pull<A>>) -> B) -> Pull<Pull<B, R>, S> {
    in_kernels_only()
}

/// As `stencil_2d`; beyond the edges the matrix is mirrored at the edge's elements. Where `r` is not below the number of rows, or `c` not below that of columns, what lies beyond the mirror image is the first one.
///
/// Source: Accelerate 2011 (`stencil`, `Mirror`).
pub fn stencil_2d_mirror<A, B, S: Size, R: Size>(xss: Pull<Pull<A, R>, S>, r: u32, c: u32, f: impl Fn(Pull<Pull<A>>) -> B) -> Pull<Pull<B, R>, S> {
    in_kernels_only()
}

/// As `stencil_2d`; beyond one edge the matrix continues at the other, so that it is a torus. Numbers of rows and columns, and `r` and `c`, are below 2^30.
///
/// Source: Accelerate 2011 (`stencil`, `Wrap`).
pub fn stencil_2d_wrap<A, B, S: Size, R: Size>(xss: Pull<Pull<A, R>, S>, r: u32, c: u32, f: impl Fn(Pull<Pull<A>>) -> B) -> Pull<Pull<B, R>, S> {
    in_kernels_only()
}

/// As `stencil`; beyond the ends the elements are `fill`.
///
/// Source: Accelerate 2011 (`stencil`, `Constant`).
pub fn stencil_fill<A, B, S: Size>(xs: Pull<A, S>, radius: u32, fill: A, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// As `stencil`; beyond the ends the array is mirrored at the end's element. Where the radius is not below the length, what lies beyond the mirror image is the first element.
///
/// Source: Accelerate 2011 (`stencil`, `Mirror`).
pub fn stencil_mirror<A, B, S: Size>(xs: Pull<A, S>, radius: u32, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    in_kernels_only()
}

/// As `stencil`; beyond one end the array continues at the other. Length and radius are below 2^30.
///
/// Source: Accelerate 2011 (`stencil`, `Wrap`).
pub fn stencil_wrap<A, B, S: Size>(xs: Pull<A, S>, radius: u32, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    in_kernels_only()
}
