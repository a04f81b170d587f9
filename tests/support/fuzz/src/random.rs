//! A small generator of random numbers: splitmix64.

/// The state.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed. Those of neighbouring seeds have nothing in common.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed ^ 0x6a09_e667_f3bc_c908);
        let mixed = random.bits();
        Random(mixed)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 where `n` is.
    pub fn below(&mut self, n: u32) -> u32 {
        (self.bits() % u64::from(n.max(1))) as u32
    }

    /// One of some things.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }

    /// Once in `n` times.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
}
