//! Short marks of texts: whether a program, a list or a record is the one that it was. FNV-1a over 64 bits: against damage and
//! change, not against malice.

/// The mark of a text, as sixteen digits.
pub fn mark(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}
