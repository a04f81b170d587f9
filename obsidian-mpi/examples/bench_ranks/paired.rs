//! Whether one time is at most another: from pairs of calls, one soon after the other, so that what slows the machine for a while is in both.

use std::fmt;

/// The median of the ratios of pairs, and between which values it lies with 95 % certainty, however times are distributed.
#[derive(Debug)]
pub struct Ratio {
    median: f64,
    interval: [f64; 2],
    pairs: usize,
}

impl Ratio {
    /// That of the times of pairs; of six at least.
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Ratio {
        let mut ratios: Vec<f64> = pairs.into_iter().map(|(time, bound)| time / bound).collect();
        ratios.sort_by(f64::total_cmp);
        let (pairs, outside) = (ratios.len(), outside(ratios.len()));
        Ratio { median: ratios[pairs / 2], interval: [ratios[outside], ratios[pairs - 1 - outside]], pairs }
    }

    fn verdict(&self) -> &'static str {
        match self.interval {
            [_, high] if high <= 1.0 => "yes",
            [low, _] if low > 1.0 => "no",
            _ => "not told apart from 1.0",
        }
    }
}

/// How many of the sorted values may be left out at either end. Each is below the true median with probability one half, so the number of
/// those below it is that of heads among as many coins (the sign test): no more heads than this come in at most 2.5 % of all cases.
fn outside(pairs: usize) -> usize {
    let mut exactly = 0.5f64.powi(pairs as i32);
    let mut at_most = exactly;
    let mut heads = 0;
    while at_most <= 0.025 {
        heads += 1;
        exactly *= (pairs + 1 - heads) as f64 / heads as f64;
        at_most += exactly;
    }
    heads.saturating_sub(1)
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ratio { median, interval: [low, high], pairs } = self;
        write!(f, "{median:.4} ({low:.4} to {high:.4} of {pairs} pairs); at most 1.0: {}", self.verdict())
    }
}

/// The value in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_left_out_as_in_tables_of_the_sign_test() {
        assert_eq!([6, 10, 20, 50, 100, 1000].map(outside), [0, 1, 5, 17, 39, 468]);
    }

    #[test]
    fn the_median_is_the_value_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 50.0, 2.0, 0.5]), 2.0);
    }

    #[test]
    fn verdicts_follow_the_interval() {
        let verdict = |ratio: fn(usize) -> f64| Ratio::of((0..100).map(|i| (ratio(i), 1.0))).verdict();
        assert_eq!(verdict(|i| 1.01 + i as f64 * 1e-6), "no");
        assert_eq!(verdict(|i| 0.99 + i as f64 * 1e-6), "yes");
        assert_eq!(verdict(|_| 1.0), "yes");
        assert_eq!(verdict(|i| if i % 2 == 0 { 0.9 } else { 1.1 }), "not told apart from 1.0");
        // One that is slow by far does not matter.
        assert_eq!(verdict(|i| if i == 0 { 50.0 } else { 0.99 }), "yes");
    }
}
