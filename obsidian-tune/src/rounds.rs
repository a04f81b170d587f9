//! The runoff of the best: every candidate is measured in every round, in an order of its own, so that what slows the machine for a
//! while slows them all; those that are certainly slower leave. A round goes over them several times, and the least time of each counts:
//! what else the machine does can only add to it.

use std::collections::BTreeMap;

use crate::random::Random;
use crate::statistics::{TIE, Verdict, interval, least_of, median};

/// How often a round goes over the candidates. With fewer, repeated tunings of the spaces that are recorded come to different verdicts.
pub const PASSES: usize = 5;
/// Rounds of a runoff, at most, where nothing else is said.
pub const ROUNDS: usize = 121;
/// Rounds after which the intervals say something.
const FIRST_LOOK: usize = 6;
/// Rounds after which a runoff ends where all that are left are as good as one another.
const SETTLED: usize = 15;
/// A candidate that is slower than this multiple of the best in each of the first rounds leaves early, if others stay.
const HOPELESS: f64 = 2.0;
/// The first rounds that are looked at for that.
const ROUNDS_OF_HOPE: usize = 2;

/// What comes of a runoff.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The candidate with the least median.
    pub best: usize,
    /// The one that came nearest, and the interval of its times over the best one's, pair by pair.
    pub rival: Option<(usize, Option<(f64, f64)>)>,
    /// What is known of the two.
    pub verdict: Verdict,
    /// Who is as good as the best, itself among them, in the order of the candidates.
    pub tied: Vec<usize>,
    /// The times of each candidate, pass by pass as long as it took part.
    pub times: BTreeMap<usize, Vec<f64>>,
    /// The rounds that were made.
    pub rounds: usize,
}

/// Measures candidates in at most `rounds` rounds. `sample` gives a candidate's time in a pass, by its number from 0, or nothing where
/// the candidate cannot be measured any more: then it leaves.
///
/// `None` where no candidate is left.
pub fn runoff(
    candidates: &[usize],
    rounds: usize,
    random: &mut Random,
    sample: &mut dyn FnMut(usize, usize) -> Option<f64>,
) -> Option<Outcome> {
    let mut times: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    let mut alive = candidates.to_vec();
    let mut made = 0;
    while made < rounds && !alive.is_empty() {
        for pass in made * PASSES..(made + 1) * PASSES {
            let mut order = alive.clone();
            random.shuffle(&mut order);
            for candidate in order {
                match sample(candidate, pass) {
                    Some(time) => times.entry(candidate).or_default().push(time),
                    None => {
                        times.remove(&candidate);
                        alive.retain(|&other| other != candidate);
                    }
                }
            }
        }
        made += 1;
        let Some(best) = least(&alive, &times) else { break };
        let leaving: Vec<usize> =
            alive.iter().copied().filter(|&other| other != best && leaves(&ratios(&times, other, best))).collect();
        // A verdict needs pairs: before the intervals say something, the best is not left alone.
        if made >= FIRST_LOOK || leaving.len() + 2 <= alive.len() {
            alive.retain(|other| !leaving.contains(other));
        }
        let tied = |&other: &usize| other == best || Verdict::of(&ratios(&times, other, best)) == Verdict::Tie;
        if alive.len() == 1 && made >= FIRST_LOOK || made >= SETTLED && alive.iter().all(tied) {
            break;
        }
    }
    let best = least(&alive, &times)?;
    let nearest = times.keys().copied().filter(|&other| other != best);
    let rival = nearest.min_by(|a, b| over(&times, *a, best).total_cmp(&over(&times, *b, best)));
    let verdict = rival.map_or(Verdict::Win, |rival| Verdict::of(&ratios(&times, rival, best)));
    let is_tied = |other: usize| other == best || Verdict::of(&ratios(&times, other, best)) == Verdict::Tie;
    let tied = candidates.iter().copied().filter(|&other| times.contains_key(&other) && is_tied(other)).collect();
    let rival = rival.map(|rival| (rival, interval(&ratios(&times, rival, best))));
    Some(Outcome { best, rival, verdict, tied, times, rounds: made })
}

fn leaves(ratios: &[f64]) -> bool {
    match ratios.len() {
        n if n < ROUNDS_OF_HOPE => false,
        n if n < FIRST_LOOK => ratios.iter().all(|&r| r > HOPELESS),
        _ => interval(ratios).is_some_and(|(low, _)| low > 1.0 + TIE),
    }
}

fn least(alive: &[usize], times: &BTreeMap<usize, Vec<f64>>) -> Option<usize> {
    let of = |candidate: &usize| seconds(times.get(candidate).map_or(&[], Vec::as_slice));
    alive.iter().copied().min_by(|a, b| of(a).total_cmp(&of(b)))
}

/// A candidate's times over another's, in the rounds that both took part in.
fn ratios(times: &BTreeMap<usize, Vec<f64>>, of: usize, over: usize) -> Vec<f64> {
    let of_each = |candidate| by_round(times.get(&candidate).map_or(&[][..], Vec::as_slice));
    of_each(of).zip(of_each(over)).map(|(a, b)| a / b).collect()
}

/// What a candidate took in each round.
fn by_round(samples: &[f64]) -> impl Iterator<Item = f64> {
    samples.chunks(PASSES).map(least_of)
}

/// The time of a candidate by its samples, pass by pass: the median of its rounds.
pub fn seconds(samples: &[f64]) -> f64 {
    median(&by_round(samples).collect::<Vec<f64>>())
}

fn over(times: &BTreeMap<usize, Vec<f64>>, of: usize, best: usize) -> f64 {
    median(&ratios(times, of, best))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine whose candidates take these times, with noise of their own and weather that all share.
    fn on_machine(times: &[f64], noise: f64, seed: u64) -> Outcome {
        let mut weather = Random::new(seed);
        let mut own = Random::new(seed + 1000);
        let mut now = (usize::MAX, 1.0);
        let candidates: Vec<usize> = (0..times.len()).collect();
        let mut sample = |candidate: usize, pass: usize| {
            if now.0 != pass {
                now = (pass, 1.0 + weather.below(100) as f64 / 100.0);
            }
            Some(times[candidate] * now.1 * (1.0 + noise * (own.below(1000) as f64 / 500.0 - 1.0)))
        };
        runoff(&candidates, 61, &mut Random::new(seed), &mut sample).unwrap()
    }

    #[test]
    fn the_fastest_wins_whatever_the_weather() {
        for seed in 0..20 {
            let found = on_machine(&[1.3, 1.0, 1.1, 2.0, 5.0], 0.03, seed);
            assert_eq!((found.best, found.verdict), (1, Verdict::Win), "{found:?}");
            assert_eq!((found.rival.map(|r| r.0), found.tied), (Some(2), vec![1]));
            assert!(
                found.times[&4].len() == ROUNDS_OF_HOPE * PASSES && found.rounds < 61,
                "those that are hopeless leave"
            );
        }
    }

    #[test]
    fn equals_are_a_tie_and_noise_is_unclear() {
        for seed in 0..20 {
            let equal = on_machine(&[1.0, 1.001, 1.2], 0.01, seed);
            assert_eq!((equal.verdict, equal.tied), (Verdict::Tie, vec![0, 1]));
            assert_eq!(equal.rounds, SETTLED, "more rounds would not say more");
        }
        assert_eq!(on_machine(&[1.0, 1.03], 0.5, 3).verdict, Verdict::Unclear);
    }

    /// A machine that has other work: two samples in five take up to four times as long.
    fn disturbed(times: &[f64], seed: u64) -> Verdict {
        let mut other = Random::new(seed);
        let candidates: Vec<usize> = (0..times.len()).collect();
        let mut sample = |candidate: usize, _| {
            let more = if other.below(5) < 2 { 1.0 + other.below(300) as f64 / 100.0 } else { 1.0 };
            Some(times[candidate] * more * (1.0 + other.below(100) as f64 / 1000.0))
        };
        runoff(&candidates, ROUNDS, &mut Random::new(seed), &mut sample).unwrap().verdict
    }

    #[test]
    fn on_a_machine_with_other_work_repeated_tunings_agree() {
        for seed in 0..20 {
            assert_eq!(disturbed(&[1.0, 1.01, 1.02, 1.3], seed), Verdict::Tie, "{seed}");
            assert_eq!(disturbed(&[1.2, 1.0, 1.12], seed), Verdict::Win, "{seed}");
        }
    }

    #[test]
    fn one_alone_wins_and_none_is_none() {
        let found = runoff(&[7], 9, &mut Random::new(1), &mut |_, _| Some(1.0)).unwrap();
        assert_eq!((found.best, found.verdict, found.rival), (7, Verdict::Win, None));
        assert_eq!(runoff(&[1, 2], 9, &mut Random::new(1), &mut |_, _| None), None);
        // One that breaks down in the third round is out.
        let mut sample =
            |candidate, round| (candidate != 1 || round < 2).then_some(if candidate == 1 { 1.0 } else { 1.2 });
        let found = runoff(&[1, 2], 9, &mut Random::new(1), &mut sample).unwrap();
        assert_eq!((found.best, found.tied), (2, vec![2]));
    }
}
