//! In which order unordered work is done: blocks, warps, the threads of a phase. The result must not depend on it.

/// An order of unordered work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As it is numbered.
    #[default]
    Forward,
    /// The last first.
    Backward,
    /// Another permutation for each loop, from a seed.
    Shuffled(u64),
    /// The same half of all numbers, by a seed, comes after the others in every loop: what starves as long as it may.
    Starved(u64),
}

impl Order {
    /// The numbers below `n` in this order; `at` says which loop it is.
    pub(super) fn numbers(self, n: u64, at: u64) -> Box<dyn Iterator<Item = u64>> {
        match self {
            Order::Forward => Box::new(0..n),
            Order::Backward => Box::new((0..n).rev()),
            Order::Starved(seed) => {
                let starves = move |k: u64| mixed(seed ^ k) & 1 == 0;
                Box::new((0..n).filter(move |k| !starves(*k)).chain((0..n).filter(move |k| starves(*k))))
            }
            Order::Shuffled(seed) => Box::new(shuffled(n, seed ^ at.wrapping_mul(0x9e37_79b9_7f4a_7c15)).into_iter()),
        }
    }
}

/// Bits that depend on all bits of `x`.
fn mixed(x: u64) -> u64 {
    let y = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (y ^ y >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53) >> 40
}

/// A permutation of the numbers below `n`.
fn shuffled(n: u64, mut state: u64) -> Vec<u64> {
    let mut all: Vec<u64> = (0..n).collect();
    for last in (1..all.len()).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        all.swap(last, ((state >> 33) % (last as u64 + 1)) as usize);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for order in [Order::Forward, Order::Backward, Order::Shuffled(1), Order::Shuffled(99), Order::Starved(7)] {
            let mut all: Vec<u64> = order.numbers(100, 3).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..100), "{order:?}");
        }
        let shuffled = |seed, at| Order::Shuffled(seed).numbers(100, at).collect::<Vec<u64>>();
        assert_ne!(shuffled(1, 3), shuffled(2, 3));
        assert_ne!(shuffled(1, 3), shuffled(1, 4));
        let starved = |at| Order::Starved(7).numbers(1000, at).collect::<Vec<u64>>();
        assert_eq!(starved(3), starved(4), "the same ones wait in every loop");
        let served = starved(3).windows(2).position(|w| w[0] > w[1]).map_or(1000, |last| last + 1);
        assert!((400..600).contains(&served), "{served} of 1000 come first");
    }
}
