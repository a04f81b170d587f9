//! Verification of small programs.
