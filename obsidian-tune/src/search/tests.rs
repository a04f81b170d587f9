//! Searchers on spaces whose times are known.

use super::*;

/// `threads` by `SEQ` by `WIDE`, with a valley, some invalid points, and a second valley that is not the best.
fn valley() -> (Space, Vec<f64>) {
    let mut points = Vec::new();
    let mut times = Vec::new();
    for t in 0..8u32 {
        for s in 0..6u32 {
            for w in 0..3u32 {
                let value = |name: &str, v: u32| (name.to_string(), v.to_string());
                points.push(vec![value("threads", 32 << t), value("SEQ", 1 << s), value("WIDE", w)]);
                let far = f64::from(t.abs_diff(3)) + 1.5 * f64::from(s.abs_diff(4)) + f64::from(w.abs_diff(1));
                let other = 1.0 + f64::from(t.abs_diff(7)) + f64::from(s);
                times.push(if t + s == 12 { f64::INFINITY } else { 10.0 + far.min(other) });
            }
        }
    }
    (Space::of_values(points), times)
}

/// Evaluations until a point within 95 % of the best is found, the budget being the whole space.
fn evaluations(searcher: &dyn Searcher, space: &Space, times: &[f64], seed: u64) -> usize {
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let mut count = 0;
    let mut found = None;
    let mut measure = |point: usize| {
        count += 1;
        if times[point] * 0.95 <= least {
            found = found.or(Some(count));
        }
        if found.is_some() { Err(Spent) } else { Ok(times[point]) }
    };
    let _ = searcher.search(space, &mut Random::new(seed), &mut Trial::new(&mut measure));
    found.unwrap_or(usize::MAX)
}

fn median_of(searcher: &dyn Searcher, space: &Space, times: &[f64]) -> usize {
    let mut all: Vec<usize> = (0..100).map(|seed| evaluations(searcher, space, times, seed)).collect();
    all.sort_unstable();
    all[50]
}

#[test]
fn every_searcher_comes_to_its_end_and_tries_each_point_once() {
    let (space, times) = valley();
    for searcher in searchers() {
        for seed in 0..10 {
            let mut seen = vec![0; space.len()];
            let mut measure = |point: usize| {
                seen[point] += 1;
                Ok(times[point])
            };
            let mut trial = Trial::new(&mut measure);
            searcher.search(&space, &mut Random::new(seed), &mut trial).unwrap();
            assert_eq!(trial.best().map(|(_, time)| time), Some(10.0), "{}", searcher.name());
            assert!(seen.iter().all(|&n| n == 1), "{}: {seen:?}", searcher.name());
        }
    }
}

#[test]
fn those_that_learn_need_at_most_half_of_randoms_evaluations() {
    let (space, times) = valley();
    let random = median_of(&Uniform, &space, &times);
    for searcher in [&Greedy as &dyn Searcher, &Genetic] {
        let own = median_of(searcher, &space, &times);
        assert!(2 * own <= random, "{}: {own}, random: {random}", searcher.name());
    }
}

#[test]
fn small_and_empty_spaces() {
    for n in 0..4u32 {
        let space = Space::of_values((0..n).map(|i| vec![("a".to_string(), i.to_string())]));
        for searcher in searchers() {
            let mut measure = |_| Ok(f64::INFINITY);
            let mut trial = Trial::new(&mut measure);
            searcher.search(&space, &mut Random::new(1), &mut trial).unwrap();
            assert_eq!((trial.tried().len(), trial.best()), (n as usize, None), "{}", searcher.name());
        }
    }
}
