//! Numbers in a group of lanes as what all lanes share plus a constant distance for each lane: what makes `(i & ~3) * 2 + i % 4`
//! two vector loads and a permutation by a constant.
//!
//! All is exact: nothing here wraps, which the callers make sure of.

use crate::program::ExprId;

/// What the lanes share, of which a sum is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    /// The number of the group.
    Group,
    /// What an expression is, less lane 0's distance; a multiple of 2 to the power given.
    Of(ExprId, u32),
}

impl Term {
    fn aligned(self) -> u32 {
        match self {
            Term::Group => 0,
            Term::Of(_, aligned) => aligned,
        }
    }
}

/// Of lane `l`: the sum of the terms, each as often as it says, and `at[l]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Affine {
    /// In order, no term twice, none zero times.
    pub terms: Vec<(Term, i64)>,
    pub at: Vec<i64>,
}

/// Bits that are zero in every sum of no terms.
const ALL: u32 = 62;

impl Affine {
    /// The same number in all lanes.
    pub fn constant(lanes: usize, k: i64) -> Affine {
        Affine { terms: Vec::new(), at: vec![k; lanes] }
    }

    /// The instance that a lane runs.
    pub fn thread(lanes: usize) -> Affine {
        Affine { terms: vec![(Term::Group, lanes as i64)], at: (0..lanes as i64).collect() }
    }

    /// An expression of the same value in all lanes.
    pub fn shared(lanes: usize, e: ExprId, aligned: u32) -> Affine {
        Affine { terms: vec![(Term::Of(e, aligned), 1)], at: vec![0; lanes] }
    }

    /// The shared part is a multiple of 2 to this power.
    pub fn aligned(&self) -> u32 {
        self.terms.iter().map(|(term, times)| times.trailing_zeros() + term.aligned()).fold(ALL, u32::min)
    }

    pub fn is_even(&self) -> bool {
        self.at.iter().all(|at| *at == self.at[0])
    }

    /// Distances from lane 0.
    pub fn steps(&self) -> Vec<i64> {
        self.at.iter().map(|at| at - self.at[0]).collect()
    }

    /// Whether the shared part has the low bits alone to itself: no distance reaches into it.
    fn apart(&self) -> bool {
        self.at.iter().all(|at| (0..1i64 << self.aligned()).contains(at))
    }

    pub fn scaled(&self, k: i64) -> Affine {
        let terms = self.terms.iter().map(|&(term, times)| (term, times.saturating_mul(k))).filter(|t| t.1 != 0);
        Affine { terms: terms.collect(), at: self.at.iter().map(|at| at.saturating_mul(k)).collect() }
    }

    pub fn plus(&self, other: &Affine) -> Affine {
        let mut terms = self.terms.clone();
        for &(term, times) in &other.terms {
            match terms.iter_mut().find(|t| t.0 == term) {
                Some(found) => found.1 += times,
                None => terms.push((term, times)),
            }
        }
        terms.retain(|t| t.1 != 0);
        terms.sort_unstable();
        Affine { terms, at: self.at.iter().zip(&other.at).map(|(a, b)| a + b).collect() }
    }

    /// `self >> s`, which is the expression `e`.
    pub fn shifted(&self, s: u32, e: ExprId) -> Option<Affine> {
        if s >= 32 || self.at.iter().any(|at| *at < 0) {
            return None;
        }
        let at: Vec<i64> = self.at.iter().map(|at| at >> s).collect();
        if self.aligned() < s {
            // The distances stay below the bits that remain.
            return self.apart().then(|| Affine::shared(at.len(), e, 0));
        }
        if self.terms.iter().all(|t| t.1.trailing_zeros() >= s) {
            return Some(Affine { terms: self.terms.iter().map(|&(term, times)| (term, times >> s)).collect(), at });
        }
        Some(Affine { terms: vec![(Term::Of(e, self.aligned() - s), 1)], at })
    }

    /// `self & mask`, which is the expression `e`; no bit of `self` above those of `most` is set.
    pub fn masked(&self, mask: u32, most: u32, e: ExprId) -> Option<Affine> {
        if !self.apart() {
            return None;
        }
        let low = ((1i64 << self.aligned()) - 1) as u32;
        let at = self.at.iter().map(|at| at & i64::from(mask & low)).collect();
        let (kept, of) = (mask & !low, bits_of(most) & !low);
        let terms = if kept & of == of {
            self.terms.clone()
        } else if kept & of == 0 {
            Vec::new()
        } else {
            vec![(Term::Of(e, self.aligned()), 1)]
        };
        Some(Affine { terms, at })
    }

    /// `self ^ k` or `self | k`, by `low` on the distances, which is the expression `e`.
    pub fn set(&self, k: u32, e: ExprId, low: impl Fn(i64, i64) -> i64) -> Option<Affine> {
        if !self.apart() {
            return None;
        }
        let below = ((1i64 << self.aligned()) - 1) as u32;
        let at = self.at.iter().map(|at| low(*at, i64::from(k & below))).collect();
        let terms = if k & !below == 0 { self.terms.clone() } else { vec![(Term::Of(e, self.aligned()), 1)] };
        Some(Affine { terms, at })
    }

    /// By lane whether `self` is below zero, where that is the same in every group; `Err` where it depends on the group alone.
    pub fn is_negative(&self) -> Option<std::result::Result<u64, ()>> {
        if self.terms.is_empty() {
            return Some(Ok(lanes_where(&self.at, |at| at < 0)));
        }
        let whole = |at: i64| at >> self.aligned();
        self.at.iter().all(|at| whole(*at) == whole(self.at[0])).then_some(Err(()))
    }

    /// By lane whether `self` is zero, as [`Affine::is_negative`].
    pub fn is_zero(&self) -> Option<std::result::Result<u64, ()>> {
        let never = |at: i64| at & ((1 << self.aligned()) - 1) != 0;
        if self.terms.is_empty() {
            return Some(Ok(lanes_where(&self.at, |at| at == 0)));
        }
        if self.at.iter().all(|at| never(*at)) {
            return Some(Ok(0));
        }
        self.is_even().then_some(Err(()))
    }
}

/// A bit for each lane.
pub(super) fn lanes_where(at: &[i64], holds: impl Fn(i64) -> bool) -> u64 {
    at.iter().enumerate().filter(|(_, at)| holds(**at)).fold(0, |bits, (l, _)| bits | 1 << l)
}

/// All bits up to the highest of `most`.
fn bits_of(most: u32) -> u32 {
    u32::MAX.checked_shr(most.leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const E: ExprId = ExprId(7);

    /// What each lane has in group 5.
    fn values(a: &Affine, of: impl Fn(Term) -> i64) -> Vec<i64> {
        a.at.iter().map(|at| at + a.terms.iter().map(|&(term, times)| times * of(term)).sum::<i64>()).collect()
    }

    fn threads(group: i64) -> Vec<i64> {
        (0..16).map(|l| 16 * group + l).collect()
    }

    #[test]
    fn pairs_of_a_sorting_network_are_constant_steps() {
        let i = Affine::thread(16);
        for j in [1u32, 2, 4, 8] {
            let high = i.masked(!(j - 1), 255, E).expect("bits apart");
            let first = i.plus(&high);
            let second = first.set(j, E, |at, k| at ^ k).expect("bits apart");
            let expected = |f: fn(i64, i64) -> i64| {
                threads(5).iter().map(|i| f(i + (i & !(i64::from(j) - 1)), j.into())).collect::<Vec<i64>>()
            };
            assert_eq!(values(&first, |_| 5), expected(|p, _| p));
            assert_eq!(values(&second, |_| 5), expected(|p, j| p ^ j));
        }
    }

    #[test]
    fn bits_that_a_group_shares_are_one_term() {
        let i = Affine::thread(16);
        assert!(i.shifted(6, E).expect("shared").is_even());
        assert!(i.masked(64, 1023, E).expect("shared").is_even());
        let quarter = i.shifted(2, E).expect("steps");
        assert_eq!(values(&quarter, |_| 5), threads(5).iter().map(|i| i >> 2).collect::<Vec<i64>>());
        let low = i.masked(4, 1023, E).expect("steps");
        assert_eq!((low.terms.len(), low.is_zero()), (0, Some(Ok(0x0f0f))));
    }

    #[test]
    fn comparisons_are_known_by_lane_or_shared_by_the_group() {
        let i = Affine::thread(16);
        let less = |k: i64| i.plus(&Affine::constant(16, -k)).is_negative();
        assert_eq!(less(32), Some(Err(())));
        assert_eq!(less(33), None);
        assert_eq!(i.plus(&i.scaled(-1)).is_negative(), Some(Ok(0)));
        assert_eq!(i.scaled(2).plus(&Affine::constant(16, 1)).is_zero(), Some(Ok(0)));
        assert_eq!(i.plus(&Affine::constant(16, -5)).is_zero(), None);
        assert_eq!(Affine::shared(16, E, 4).plus(&Affine::constant(16, 3)).is_zero(), Some(Ok(0)));
    }

    #[test]
    fn distances_that_reach_into_the_shared_part_are_given_up() {
        let wide = Affine::shared(16, E, 2).plus(&Affine::thread(16));
        assert_eq!(wide.masked(8, 1023, E), None);
        assert_eq!(wide.shifted(3, E), None);
        assert_eq!(wide.set(1, E, |at, k| at ^ k), None);
    }
}
