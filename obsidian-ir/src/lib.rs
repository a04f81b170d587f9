//! The compiler of the Obsidian kernel language, as an ordinary library.
//!
//! The way of a kernel: tokens → [`syntax`] → AST → [`types`] → typed AST → [`stage`] → [`program::Program`] →
//! [`passes`] → [`backend`] → text. Each arrow is one function from one data type to the next; nothing goes back.

pub mod backend;
pub mod compiler;
pub mod diag;
pub mod draw;
pub mod interp;
pub mod level;
pub mod linking;
pub mod passes;
pub mod program;
pub mod reference;
pub mod stage;
pub mod stdlib;
pub mod syntax;
mod tables;
pub mod types;

pub use level::Level;
