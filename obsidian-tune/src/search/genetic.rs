//! A genetic search: the better of two points become parents, a child has each value from one of them, and now and then one of
//! its own.

use super::{Searcher, Spent, Trial, first, untried};
use crate::random::Random;
use crate::space::Space;

/// Points of a generation, at most.
const POPULATION: usize = 8;
/// One value in this number is changed, by a step or to any other.
const MUTATION: usize = 3;
/// Children in a row that were tried before, after which any point is taken.
const STILLBORN: usize = 10;

/// The searcher.
#[derive(Debug, Clone, Copy)]
pub struct Genetic;

impl Searcher for Genetic {
    fn name(&self) -> &'static str {
        "genetic"
    }

    fn search(&self, space: &Space, random: &mut Random, trial: &mut Trial<'_>) -> Result<(), Spent> {
        let mut alive: Vec<(usize, f64)> = Vec::new();
        let size = POPULATION.min(space.len().div_ceil(4)).max(2);
        while alive.len() < size {
            // Three quarters of the first generation are what is most promising, the rest is anything.
            let next = if alive.len() < size - size / 4 { first } else { untried };
            let Some(point) = next(space, random, trial) else { return Ok(()) };
            alive.push((point, trial.time(point)?));
        }
        loop {
            for _ in 0..size / 2 {
                let new =
                    (0..STILLBORN).find_map(|_| child(space, random, &alive).filter(|&child| !trial.knows(child)));
                let Some(child) = new.or_else(|| untried(space, random, trial)) else { return Ok(()) };
                alive.push((child, trial.time(child)?));
            }
            alive.sort_by(|a, b| a.1.total_cmp(&b.1));
            alive.truncate(size);
        }
    }
}

fn child(space: &Space, random: &mut Random, alive: &[(usize, f64)]) -> Option<usize> {
    let mut parent = || {
        let (a, b) = (*random.pick(alive)?, *random.pick(alive)?);
        Some(if a.1 <= b.1 { a.0 } else { b.0 })
    };
    let (mother, father) = (parent()?, parent()?);
    let mut values = Vec::new();
    for (i, dimension) in space.dimensions().iter().enumerate() {
        let from = if random.below(2) == 0 { mother } else { father };
        let inherited = space.point(from).get(i).copied().unwrap_or(0);
        values.push(match (random.below(MUTATION), random.below(4)) {
            (0, 0) => random.below(dimension.values.len()),
            (0, 1) => inherited.saturating_sub(1),
            (0, 2) => (inherited + 1).min(dimension.values.len() - 1),
            _ => inherited,
        });
    }
    space.nearest(&values)
}
