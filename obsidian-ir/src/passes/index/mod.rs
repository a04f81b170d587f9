//! The theory of indices: what passes know of the numbers that a program computes.
//!
//! Expressions come in, polynomials over the integers go out (`lower`, `poly`), with what they lie in and whether they may
//! wrap (`range`), and what they leave modulo a number (`residue`); or their values in all rounds of a box of loops
//! (`eval`, `table`, `sum`). `steady` recognises neighbours in memory, `budget` bounds the work. `docs/src/index_theory.md` says
//! why each rule is right; R1, R2 .. in the comments are its rules. Changes nothing.

mod budget;
mod eval;
mod lower;
mod poly;
mod range;
mod residue;
mod steady;
mod sum;
mod table;
#[cfg(test)]
mod tests;

pub use budget::Budget;
pub use eval::Eval;
pub use lower::{Plain, Reader, Reading, View, Word, is_sum, lower};
pub(super) use poly::gcd;
pub use poly::{Atom, Mono, Poly, PolyId, Polys, Side};
pub use range::{Wraps, everywhere, wraps};
pub use residue::{is_never_multiple, is_never_multiple_by_cases, zeros};
pub use steady::{Facts, Form};
pub use sum::{Sum, Symbols};
pub use table::{MAX_LOOPS, Table, bin, lanes_of};
