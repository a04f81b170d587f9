/// `a` held between `lo` and `hi`. Source: Rust's method of that name.
fn clamp<T: Num>(a: T, lo: T, hi: T) -> T {
    min(max(a, lo), hi)
}

/// `1 / a`. Source: Rust's method of that name.
fn recip<T: Float>(a: T) -> T {
    1.0 / a
}
