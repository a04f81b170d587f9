//! placeholder
mod programs;
