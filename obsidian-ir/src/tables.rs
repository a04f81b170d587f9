//! Hash tables for the compiler's own keys, mostly small numbers. A macro is compiled without optimisation where kernels are
//! developed, and there the standard library's hash, which withstands keys chosen by an enemy, is most of a table's cost.
//! Iteration gives one order for one history of a table.

use std::hash::{BuildHasherDefault, Hasher};

/// A map.
pub type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Mix>>;

/// A set.
pub type HashSet<T> = std::collections::HashSet<T, BuildHasherDefault<Mix>>;

/// Digits of the golden ratio: an odd number whose bits are even-handed.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies and turns, number by number.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mix(u64);

impl Mix {
    fn take(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(FACTOR);
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..part.len()].copy_from_slice(part);
            self.take(u64::from_le_bytes(eight));
        }
        self.take(bytes.len() as u64);
    }

    fn write_u8(&mut self, n: u8) {
        self.take(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.take(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.take(n);
    }

    fn write_u128(&mut self, n: u128) {
        self.take(n as u64);
        self.take((n >> 64) as u64);
    }

    fn write_usize(&mut self, n: usize) {
        self.take(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.take(n as u64);
    }

    /// A product's high bits are its good ones, and a table takes the low ones for the place.
    fn finish(&self) -> u64 {
        (self.0 ^ (self.0 >> 32)).wrapping_mul(FACTOR).rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, Hash};

    use super::*;

    fn places(keys: impl Iterator<Item = impl Hash>) -> usize {
        let low = |key| BuildHasherDefault::<Mix>::default().hash_one(key) & 0xfff;
        keys.map(low).collect::<std::collections::BTreeSet<u64>>().len()
    }

    /// 4096 keys thrown into as many places by chance meet 63 % of them.
    #[test]
    fn keys_that_are_alike_are_spread_over_a_table() {
        assert!(places(0..4096u32) > 2400);
        assert!(places((0..4096u64).map(|n| n << 32)) > 2400);
        assert!(places((0..4096u32).map(|n| (n % 64, n / 64))) > 2400);
        assert!(places((0..4096u32).map(|n| format!("name{n}"))) > 2400);
        assert!(places((0..4096i128).map(|n| n * 1024)) > 2400);
    }
}
