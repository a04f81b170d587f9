//! Who runs when, and who sees what.

/// Random numbers (xorshift), the same in every run.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    /// A number below `n`, or 0.
    pub fn below(&mut self, n: u32) -> u32 {
        self.next().checked_rem(n).unwrap_or(0)
    }
}

/// The order in which blocks take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Any,
    /// One block runs for a while, then another.
    Bursts,
    Oldest,
    Newest,
    /// Every other block, or any half of them, only when the others have ended.
    Withheld(u32),
}

/// A schedule.
#[derive(Debug, Clone)]
pub struct Schedule {
    pub order: Order,
    pub seed: u64,
    /// Of 100 loads so many see an old word.
    pub stale: u32,
    pub epoch: u32,
    pub patience: u32,
}

impl Schedule {
    pub fn any(random: &mut Random) -> Schedule {
        let order = match random.below(6) {
            0 => Order::Any,
            1 => Order::Bursts,
            2 => Order::Oldest,
            3 => Order::Newest,
            _ => Order::Withheld(random.next()),
        };
        let stale = [0, 0, 5, 30, 100][random.below(5) as usize];
        let (epoch, patience) = (1 + random.below(1000), random.below(4));
        Schedule { order, seed: random.next().into(), stale, epoch, patience }
    }

    /// What an earlier launch may have left in a word.
    pub fn junk(&self, random: &mut Random) -> u64 {
        u64::from(random.below(self.epoch)) << 32 | u64::from(random.next())
    }

    /// Which of the values of a word a load sees.
    pub fn views(&self) -> impl FnMut(usize) -> usize + Send + 'static {
        let (mut random, stale) = (Random::new(self.seed ^ 77), self.stale);
        move |n| if random.below(100) < stale { random.below(n as u32) as usize } else { n - 1 }
    }

    /// Whose turn it is, of the blocks that have not ended.
    pub fn turns(&self) -> impl FnMut(&[u32]) -> usize + 'static {
        let (mut random, order) = (Random::new(self.seed), self.order);
        let (mut left, mut who) = (0, 0);
        move |open: &[u32]| {
            let n = open.len() as u32;
            let at = match order {
                Order::Any => random.below(n),
                Order::Oldest => 0,
                Order::Newest => n - 1,
                Order::Bursts => {
                    if left == 0 {
                        (left, who) = (random.below(400), random.below(n));
                    }
                    left = left.saturating_sub(1);
                    who.min(n - 1)
                }
                Order::Withheld(salt) => {
                    let free: Vec<u32> = (0..n).filter(|&k| !is_withheld(open[k as usize], salt)).collect();
                    if free.is_empty() { random.below(n) } else { free[random.below(free.len() as u32) as usize] }
                }
            };
            at as usize
        }
    }
}

/// Half of the blocks.
fn is_withheld(block: u32, salt: u32) -> bool {
    match salt % 4 {
        0 => block % 2 == salt / 4 % 2,
        _ => (block ^ salt).wrapping_mul(2_654_435_761) >> 31 == 0,
    }
}
