//! The statistics of the bench. They are tested here, since cargo builds an example that has tests of its own only as a test, and not to be run.

#[path = "../examples/bench_ranks/paired.rs"]
mod paired;
