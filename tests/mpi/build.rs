//! Only here so that the build's `syn` is the one that this package asks for.

fn main() {}
