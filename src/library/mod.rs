//! The standard library of the kernel language, as pages to look things up in.
//!
//! Inside [`kernel!`](crate::prelude::kernel) all of it is in scope without any import, and `xs.f(a)` is `f(xs, a)`. Here
//! each function stands with its type, meaning, cost and source; [`types`] has the types, the levels and the bounds. Where
//! a name is one function for several types of argument, one page lists all forms.
//!
//! A function's source is the paper or the library that it comes from; `reference.md` is the language's own reference,
//! `docs/src/reference.md` of the repository.
//!
//! Host code cannot call any of this: the arrays cannot be made, and no type meets the bounds.

pub mod types;

// Rendered from the compiler's tables: `OBSIDIAN_BLESS=1 cargo test -p obsidian-lang --test catalogue`.
#[rustfmt::skip]
mod pages;

pub use pages::*;

/// The body of every function here.
#[doc(hidden)]
pub fn in_kernels_only() -> ! {
    unreachable!("no value meets the types of this function")
}
