//! rust
