//! The passes, in the order they run.
