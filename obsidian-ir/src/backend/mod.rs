//! The printers: a program in, text out. A back end decides nothing that a pass could.

pub mod cuda;
pub mod ptx;
pub mod rust;
