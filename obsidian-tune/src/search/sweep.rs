//! Searchers that learn nothing from what they find.

use super::{Searcher, Spent, Trial};
use crate::random::Random;
use crate::space::Space;

/// Every point, in order.
#[derive(Debug, Clone, Copy)]
pub struct Exhaustive;

impl Searcher for Exhaustive {
    fn name(&self) -> &'static str {
        "exhaustive"
    }

    fn search(&self, space: &Space, _random: &mut Random, trial: &mut Trial<'_>) -> Result<(), Spent> {
        (0..space.len()).try_for_each(|point| trial.time(point).map(drop))
    }
}

/// Every point, in any order.
#[derive(Debug, Clone, Copy)]
pub struct Uniform;

impl Searcher for Uniform {
    fn name(&self) -> &'static str {
        "random"
    }

    fn search(&self, space: &Space, random: &mut Random, trial: &mut Trial<'_>) -> Result<(), Spent> {
        let mut points: Vec<usize> = (0..space.len()).collect();
        random.shuffle(&mut points);
        points.into_iter().try_for_each(|point| trial.time(point).map(drop))
    }
}
