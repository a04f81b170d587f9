//! The program of a kernel: what is left of it once its language has been evaluated, and all that is done with it.
//!
//! A [`program::Program`] goes through [`passes`], which prove it, lay it out and lower it, and out through a printer of
//! [`backend`]; [`interp`] runs it slowly with every check on, [`draw`] draws it. Nothing here knows the surface language:
//! that is `obsidian-lang`, which stands on this crate.

pub mod backend;
pub mod diag;
pub mod draw;
pub mod interp;
pub mod level;
pub mod module;
pub mod passes;
pub mod program;
pub mod tables;
pub mod validate;

pub use level::Level;
