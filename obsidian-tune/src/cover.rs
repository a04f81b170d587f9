//! Few variants that are good everywhere: the fewest, found greedily, of which one is near the best on each recorded problem and
//! device.

use std::collections::BTreeMap;

use crate::prune::SAME_CODE;
use crate::record::Contents;

/// The times of variants on one problem and device.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// What they are of, for people.
    pub label: String,
    /// Seconds by variant, those that are valid.
    pub seconds: BTreeMap<String, f64>,
    /// The one that the tuning chose, where it has concluded.
    pub chosen: Option<String>,
}

/// Variants to ship.
#[derive(Debug, Clone, PartialEq)]
pub struct Cover {
    /// Them, those that are needed most first.
    pub variants: Vec<String>,
    /// For each problem and device which of them is the fastest there, and its time over that of the best of all.
    pub table: Vec<(String, String, f64)>,
}

impl Times {
    /// The times in a record. A variant that is the same code as another has its time.
    pub fn of(contents: &Contents) -> Times {
        let header = &contents.header;
        let label = format!("{} ({}), {}", header.backend, header.device, header.problem);
        let own = contents.seconds().into_iter();
        let mut seconds: BTreeMap<String, f64> = own.map(|(name, time)| (name.to_string(), time)).collect();
        for failed in contents.measurements.iter().filter(|m| m.found.is_err()) {
            seconds.remove(&failed.variant);
        }
        for (name, why) in contents.conclusion.iter().flat_map(|c| &c.pruned) {
            let other = why.strip_prefix(SAME_CODE).map(|rest| rest.trim_matches([' ', '`']));
            if let Some(&time) = other.and_then(|other| seconds.get(other)) {
                seconds.insert(name.clone(), time);
            }
        }
        Times { label, seconds, chosen: contents.conclusion.as_ref().map(|c| c.chosen.clone()) }
    }

    /// The least time.
    fn best(&self) -> f64 {
        self.seconds.values().copied().fold(f64::INFINITY, f64::min)
    }

    /// A variant's time over the best one's.
    fn ratio(&self, variant: &str) -> f64 {
        self.seconds.get(variant).map_or(f64::INFINITY, |time| time / self.best())
    }
}

/// At most `most` variants, of which one takes at most `within` times the best one's time wherever it was measured; where
/// `most` is too few for that, the nearest to it. `None` where there are no times.
pub fn cover(all: &[Times], within: f64, most: usize) -> Option<Cover> {
    let all: Vec<&Times> = all.iter().filter(|times| !times.seconds.is_empty()).collect();
    let mut variants: Vec<String> = Vec::new();
    let nearest = |chosen: &[String], times: &Times| {
        let ratios = chosen.iter().map(|v| (times.ratio(v), v.clone()));
        ratios.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, String::new()))
    };
    while variants.len() < most.max(1) {
        let open: Vec<&&Times> = all.iter().filter(|times| nearest(&variants, times).0 > within).collect();
        let names = open.iter().flat_map(|times| times.seconds.keys());
        // How many it covers; of how many of these it was chosen; then the least sum of what it takes over the best.
        let worth = |name: &String| {
            let covered = open.iter().filter(|times| times.ratio(name) <= within);
            let chosen = covered.clone().filter(|times| times.chosen.as_ref() == Some(name)).count();
            (covered.clone().count(), chosen, -covered.map(|times| times.ratio(name)).sum::<f64>())
        };
        let next =
            names.max_by(|a, b| worth(a).partial_cmp(&worth(b)).unwrap_or(std::cmp::Ordering::Equal).then(b.cmp(a)));
        let Some(next) = next else { break };
        variants.push(next.clone());
    }
    let row = |times: &&Times| {
        let (ratio, variant) = nearest(&variants, times);
        (times.label.clone(), variant, ratio)
    };
    let table = all.iter().map(row).collect();
    (!variants.is_empty()).then_some(Cover { variants, table })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn times(label: &str, seconds: &[(&str, f64)]) -> Times {
        Times {
            label: label.into(),
            seconds: seconds.iter().map(|(name, s)| (name.to_string(), *s)).collect(),
            chosen: None,
        }
    }

    #[test]
    fn the_fewest_that_are_near_the_best_everywhere() {
        let all = [
            times("small", &[("a", 1.0), ("b", 1.05), ("c", 3.0)]),
            times("large", &[("a", 9.0), ("b", 1.09), ("c", 1.0)]),
            times("other", &[("a", 1.0), ("b", 5.0), ("c", 5.0)]),
        ];
        let found = cover(&all, 1.10, 5).unwrap();
        assert_eq!(found.variants.len(), 2);
        assert!(found.table.iter().all(|(_, _, ratio)| *ratio <= 1.10), "{found:?}");
        assert_eq!(found.table[2], ("other".into(), "a".into(), 1.0));
        // One alone is the one that is near the best most often.
        assert_eq!(cover(&all, 1.10, 1).unwrap().variants, ["a"]);
        // Of two that cover as much the one that was chosen.
        let mut equal = times("equal", &[("a", 1.0), ("b", 1.0)]);
        assert_eq!(cover(&[equal.clone()], 1.10, 5).unwrap().variants, ["a"]);
        equal.chosen = Some("b".into());
        assert_eq!(cover(&[equal], 1.10, 5).unwrap().variants, ["b"]);
        assert_eq!(cover(&[], 1.10, 5), None);
        assert_eq!(cover(&[times("none", &[])], 1.10, 5), None);
    }

    #[test]
    fn any_times_are_covered_where_there_is_room() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let (places, names) = (1 + random.below(6), 1 + random.below(8));
            let all: Vec<Times> = (0..places)
                .map(|place| {
                    let of = |name: usize, seconds: f64| (format!("v{name}"), seconds);
                    let seconds = (0..names).map(|n| of(n, 1.0 + random.below(100) as f64 / 50.0)).collect();
                    Times { label: place.to_string(), seconds, chosen: None }
                })
                .collect();
            let found = cover(&all, 1.10, places).unwrap();
            assert!(found.table.iter().all(|(_, _, ratio)| *ratio <= 1.10), "{found:?}");
            assert!(found.variants.len() <= places);
        }
    }
}
