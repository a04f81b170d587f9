//! Random well-typed kernels: [`generate`] makes one from a seed, [`mod@print`] writes it in the language, [`meaning`]
//! says as a functional program what it computes, [`check`] compares the compiler's forms with that, and [`shrink`]
//! reduces a kernel that shows a fault. For tests; ships nowhere.

pub mod ast;
pub mod campaign;
pub mod check;
pub mod coverage;
pub mod data;
mod env;
pub mod flat;
pub mod generate;
pub mod keep;
pub mod lengths;
pub mod meaning;
pub mod page;
pub mod placed;
pub mod print;
pub mod random;
pub mod shrink;
pub mod table;
pub mod types;
