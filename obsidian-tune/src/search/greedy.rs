//! Greedy iterated local search: from a point to the first better neighbour, until none is better; then from the best point a few
//! values away, and again. What `Kernel Tuner` calls greedy ILS. It begins with what is most promising.

use super::{Searcher, Spent, Trial, first, untried};
use crate::random::Random;
use crate::space::Space;

/// Descents in a row that found nothing better, after which it begins somewhere else.
const PATIENCE: u32 = 3;
/// Points that are looked at before the first descent, which begins at the best of them.
const SCOUTS: usize = 3;
/// The same where it is known which are promising.
const PROMISING: usize = 2;

/// The searcher.
#[derive(Debug, Clone, Copy)]
pub struct Greedy;

impl Searcher for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn search(&self, space: &Space, random: &mut Random, trial: &mut Trial<'_>) -> Result<(), Spent> {
        for _ in 0..if space.promising().is_empty() { SCOUTS } else { PROMISING } {
            let Some(point) = first(space, random, trial) else { return Ok(()) };
            trial.time(point)?;
        }
        let mut start = trial.best().map_or(0, |(point, _)| point);
        let mut failed = 0;
        loop {
            let before = trial.best().map(|(point, _)| point);
            descend(space, random, trial, start)?;
            let best = trial.best().map(|(point, _)| point);
            failed = if best == before { failed + 1 } else { 0 };
            start = match best {
                Some(best) if failed < PATIENCE => {
                    let Some(next) = away(space, random, trial, best) else { return Ok(()) };
                    next
                }
                _ => {
                    failed = 0;
                    let Some(next) = untried(space, random, trial) else { return Ok(()) };
                    next
                }
            };
        }
    }
}

fn descend(space: &Space, random: &mut Random, trial: &mut Trial<'_>, start: usize) -> Result<(), Spent> {
    let (mut at, mut time) = (start, trial.time(start)?);
    loop {
        let mut neighbours = space.neighbours(at);
        random.shuffle(&mut neighbours);
        // Small steps first: the next value of a parameter is the likeliest to be a little better.
        neighbours
            .sort_by_key(|&n| space.point(n).iter().zip(space.point(at)).map(|(a, b)| a.abs_diff(*b)).sum::<usize>());
        let mut moved = false;
        for next in neighbours {
            let found = trial.time(next)?;
            if found < time {
                (at, time, moved) = (next, found, true);
                break;
            }
        }
        if !moved {
            return Ok(());
        }
    }
}

/// A point that was not tried and differs from one in few values.
fn away(space: &Space, random: &mut Random, trial: &Trial<'_>, from: usize) -> Option<usize> {
    let own = space.point(from);
    let differing = |&other: &usize| own.iter().zip(space.point(other)).filter(|(a, b)| a != b).count();
    let left: Vec<usize> = (0..space.len()).filter(|&point| !trial.knows(point)).collect();
    let near: Vec<usize> = left.iter().copied().filter(|other| differing(other) <= 2).collect();
    random.pick(if near.is_empty() { &left } else { &near }).copied()
}
