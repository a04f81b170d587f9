//! The Obsidian kernel language: from the tokens of a macro call to programs, and to what the call expands to.
//!
//! The way of a kernel: tokens → [`syntax`] → AST → [`linking`] with its libraries → [`types`] → typed AST → [`stage`] →
//! [`obsidian_ir::program::Program`]. Each arrow is one function from one data type to the next; nothing goes back.
//! [`driver`] is the whole way in one place, passes and printers included; [`expand`] prints the host's side.

pub mod driver;
pub mod expand;
pub mod library;
pub mod linking;
pub mod stage;
pub mod syntax;
pub mod types;
