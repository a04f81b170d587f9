//! What repeated measurements say: medians, an interval of the median that assumes nothing of the noise, and the verdict on two
//! variants that were measured in pairs.

use std::fmt;

/// Two variants whose ratio certainly lies within this distance of 1 are as good as one another: what a search is content with, too.
pub const TIE: f64 = 0.05;
/// How unlikely the median may be beyond each end of an interval.
const TAIL: f64 = 0.025;

/// The middle value, or the mean of the two in the middle; infinite where there is none.
pub fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    match sorted.len() {
        0 => f64::INFINITY,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// The least value; infinite where there is none.
pub fn least_of(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The interval that holds the median of the distribution in at least 95 of 100 cases, from the order of the values alone;
/// `None` below six values, which cannot say so much.
pub fn interval(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len();
    // Of `n` values fewer than `k` lie below the median with the probability of so few heads in `n` throws.
    let (mut below, mut term, mut k) = (0.0, 0.5f64.powi(n as i32), 0);
    while k < n / 2 && below + term <= TAIL {
        below += term;
        term *= (n - k) as f64 / (k + 1) as f64;
        k += 1;
    }
    let sorted = sorted(values);
    (k > 0).then(|| (sorted[k - 1], sorted[n - k]))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// What is known of the best variant and its rival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The best is certainly faster, by more than would not matter.
    Win,
    /// Their difference certainly does not matter.
    Tie,
    /// The noise is larger than their difference.
    Unclear,
}

impl Verdict {
    /// From the rival's times over the best one's, pair by pair.
    pub fn of(ratios: &[f64]) -> Verdict {
        match interval(ratios) {
            Some((low, high)) if low >= 1.0 - TIE && high <= 1.0 + TIE => Verdict::Tie,
            Some((low, _)) if low > 1.0 => Verdict::Win,
            _ => Verdict::Unclear,
        }
    }

    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Win => "win",
            Verdict::Tie => "tie",
            Verdict::Unclear => "unclear",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn medians_and_their_intervals() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
        assert_eq!(median(&[]), f64::INFINITY);
        assert_eq!(interval(&[1.0, 2.0, 3.0, 4.0, 5.0]), None);
        assert_eq!(interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some((1.0, 6.0)));
        // Of the tables of the sign test: of 20 values the 6th from either end.
        let twenty: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(interval(&twenty), Some((6.0, 15.0)));
    }

    #[test]
    fn an_interval_holds_the_median_as_often_as_it_says() {
        let mut random = Random::new(7);
        let held = (0..2000).filter(|_| {
            // The median of the square of a number between 0 and 1 is a quarter.
            let values: Vec<f64> =
                (0..15).map(|_| (random.below(1 << 20) as f64 / f64::from(1 << 20)).powi(2)).collect();
            interval(&values).is_some_and(|(low, high)| low <= 0.25 && 0.25 <= high)
        });
        let held = held.count();
        assert!((1900..=1999).contains(&held), "{held} of 2000");
    }

    #[test]
    fn verdicts() {
        let around = |middle: f64, noise: f64| -> Vec<f64> {
            (0..21).map(|i| middle + noise * (f64::from(i * 8 % 21) / 10.0 - 1.0)).collect()
        };
        assert_eq!(Verdict::of(&around(1.2, 0.1)), Verdict::Win);
        assert_eq!(Verdict::of(&around(1.001, 0.01)), Verdict::Tie);
        assert_eq!(Verdict::of(&around(1.02, 0.2)), Verdict::Unclear);
        assert_eq!(Verdict::of(&[1.5; 5]), Verdict::Unclear, "too few to say");
    }
}
