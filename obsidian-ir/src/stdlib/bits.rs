/// A word whose lowest `k` bits are ones, the others zeros; `k` is below 32. Source: DAMP 2012's library (`oneBits`).
fn one_bits(k: u32) -> u32 {
    (1 << k) - 1
}

/// A word whose lowest `k` bits are zeros, the others ones; `k` is below 32. Source: DAMP 2012's library (`zeroBits`).
fn zero_bits(k: u32) -> u32 {
    !one_bits(k)
}

/// Whether bit `k` of `i` is 0: at distance `2^k`, `i` is the lower place. Source: DAMP 2012's library (`lowBit`).
fn low_bit(i: u32, k: u32) -> bool {
    i & (1 << k) == 0
}

/// `i` with bit `k` flipped: the place at distance `2^k`. Source: DAMP 2012's library (`flipBit`).
fn flip_bit(i: u32, k: u32) -> u32 {
    i ^ (1 << k)
}

/// `i` with the bits 0 to `k` flipped: the mirror image in its block of `2^(k + 1)`. Source: DAMP 2012's library
/// (`flipLSBsTo`).
fn flip_lsbs_to(i: u32, k: u32) -> u32 {
    i ^ ((2 << k) - 1)
}

/// `i` with the bits `k` to `k + j` flipped: the mirror image among places `2^k` apart. Source: DAMP 2012's library
/// (`flipBitsFrom`).
fn flip_bits_from(i: u32, k: u32, j: u32) -> u32 {
    i ^ (((2 << j) - 1) << k)
}

/// `i` with a zero put in at bit `k`, the bits above moved up: the `i`-th place whose bit `k` is 0. Source: DAMP 2012's
/// library (`insertZero`).
fn insert_zero(i: u32, k: u32) -> u32 {
    i + (i & zero_bits(k))
}
