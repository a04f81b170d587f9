//! One request of a warp: how many transactions its addresses need.

/// Bytes of a sector of global memory.
const SECTOR: i64 = 32;
/// Bytes of a word of a bank.
const WORD: i64 = 4;
/// Banks of shared memory.
const BANKS: i64 = 32;

/// The elements that a lane asks for at once: neighbours, of which the first is at a multiple of their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Unit {
    /// Bytes of an element.
    pub(super) bytes: u32,
    /// How many.
    pub(super) width: u32,
}

/// A lane and the first element that it requests. Elements are counted from one that has the alignment of the array's first.
pub(super) type Ask = (u32, i64);

/// What asking costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum How {
    /// Sectors.
    Global,
    /// Banks; lanes that request the same word are served together.
    Shared,
    /// Banks; each lane is served alone.
    SharedAtomic,
}

/// The cost of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    pub(super) transactions: u32,
    pub(super) least: u32,
    pub(super) worst: u32,
    /// Different elements.
    pub(super) elements: u32,
}

impl How {
    /// The number of elements after which all costs repeat.
    pub(super) fn period(self, Unit { bytes, width }: Unit) -> u32 {
        let own = match self {
            How::Global => (SECTOR as u32 / bytes).max(1),
            _ => (WORD as u32 / bytes).max(1),
        };
        own.max(width)
    }

    /// The cost of a request for units of 1, 2, 4, 8 or 16 bytes, whose elements have 1, 2, 4 or 8.
    pub(super) fn cost(self, asks: &[Ask], Unit { bytes, width }: Unit) -> Cost {
        let (element, size) = (i64::from(bytes), i64::from(bytes * width));
        let mut elements: Vec<i64> = asks.iter().map(|a| a.1).collect();
        distinct(&mut elements);
        let count = elements.len() as u32 * width;
        match self {
            How::Global => {
                // A unit lies in one sector.
                elements.iter_mut().for_each(|e| *e = (*e * element).div_euclid(SECTOR));
                distinct(&mut elements);
                let sectors = elements.len() as u32;
                Cost { transactions: sectors, least: (count * bytes).div_ceil(32), worst: sectors, elements: count }
            }
            How::Shared | How::SharedAtomic => {
                let lanes = match size {
                    16.. => 8,
                    5.. => 16,
                    _ => 32,
                };
                let mut cost = Cost { elements: count, ..Cost::default() };
                for part in 0..32 / lanes {
                    let mine = asks.iter().filter(|a| a.0 / lanes == part).map(|a| a.1);
                    let turns = self.turns(mine.map(|e| e * element), size);
                    cost.transactions += turns;
                    cost.worst = cost.worst.max(turns);
                    cost.least += u32::from(turns > 0);
                }
                cost
            }
        }
    }

    /// The number of requests to the busiest bank, of units that begin at these bytes.
    fn turns(self, starts: impl Iterator<Item = i64>, size: i64) -> u32 {
        let mut words: Vec<i64> = Vec::with_capacity(32);
        for start in starts {
            let first = start.div_euclid(WORD);
            (0..(size / WORD).max(1)).for_each(|k| words.push(first + k));
        }
        if self == How::Shared {
            distinct(&mut words);
        }
        let mut banks = [0; BANKS as usize];
        words.iter().for_each(|w| banks[w.rem_euclid(BANKS) as usize] += 1);
        banks.into_iter().max().unwrap_or(0)
    }
}

/// Sorts, and removes duplicates. Most requests are already sorted.
fn distinct(values: &mut Vec<i64>) {
    if values.windows(2).any(|w| w[0] > w[1]) {
        values.sort_unstable();
    }
    values.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(first: i64, step: i64) -> Vec<Ask> {
        (0..32).map(|l| (l, first + step * i64::from(l))).collect()
    }

    fn sectors(first: i64, step: i64, bytes: u32) -> (u32, u32) {
        let cost = How::Global.cost(&strided(first, step), Unit { bytes, width: 1 });
        (cost.transactions, cost.least)
    }

    #[test]
    fn sectors_of_strides_and_of_what_is_not_aligned() {
        assert_eq!((sectors(0, 1, 4), sectors(31, -1, 4), sectors(0, 2, 4)), ((4, 4), (4, 4), (8, 4)));
        assert_eq!((sectors(0, 8, 4), sectors(0, 1000, 4)), ((32, 4), (32, 4)));
        // One element off: a sector more. All of one element: one.
        assert_eq!((sectors(1, 1, 4), sectors(-1, 1, 4), sectors(7, 0, 4)), ((5, 4), (5, 4), (1, 1)));
        assert_eq!((sectors(0, 1, 1), sectors(0, 1, 2), sectors(0, 1, 8)), ((1, 1), (2, 2), (8, 8)));
    }

    fn ways(step: i64, bytes: u32) -> u32 {
        How::Shared.cost(&strided(0, step), Unit { bytes, width: 1 }).worst
    }

    #[test]
    fn ways_are_the_common_divisor_with_the_number_of_banks() {
        for step in 1..=64u32 {
            let divisor = (1..=32).rev().find(|d| step % d == 0 && 32 % d == 0).expect("1");
            assert_eq!(ways(step.into(), 4), divisor, "{step}");
        }
        assert_eq!(ways(0, 4), 1, "one word for all");
    }

    #[test]
    fn small_elements_share_words_and_large_ones_are_asked_for_by_halves() {
        assert_eq!((ways(1, 1), ways(4, 1), ways(128, 1)), (1, 1, 32));
        assert_eq!((ways(1, 8), ways(2, 8), ways(16, 8)), (1, 2, 16));
        let of_8 = Unit { bytes: 8, width: 1 };
        let cost = How::Shared.cost(&strided(0, 1), of_8);
        assert_eq!((cost.transactions, cost.least), (2, 2));
        // The first half only.
        assert_eq!(How::Shared.cost(&strided(0, 1)[..16], of_8).least, 1);
    }

    #[test]
    fn atomic_updates_of_one_word_wait() {
        let word = Unit { bytes: 4, width: 1 };
        assert_eq!(How::SharedAtomic.cost(&strided(0, 0), word).worst, 32);
        assert_eq!(How::SharedAtomic.cost(&strided(0, 1), word).worst, 1);
    }

    #[test]
    fn a_vector_is_one_request_for_all_its_elements() {
        let fours = Unit { bytes: 4, width: 4 };
        let of = |how: How, step| {
            let cost = how.cost(&strided(0, step), fours);
            (cost.transactions, cost.least, cost.elements)
        };
        // Side by side; every second vector of four, of which a sector holds two.
        assert_eq!((of(How::Global, 4), of(How::Global, 8)), ((16, 16, 128), (32, 16, 128)));
        // Eight lanes at a time ask all banks once; with gaps between them, twice.
        assert_eq!((of(How::Shared, 4), of(How::Shared, 8)), ((4, 4, 128), (8, 4, 128)));
    }
}
