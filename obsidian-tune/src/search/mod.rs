//! Ways through a space: which point is tried next, given what was found so far.

mod genetic;
mod greedy;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use genetic::Genetic;
pub use greedy::Greedy;
pub use sweep::{Exhaustive, Uniform};

use crate::random::Random;
use crate::space::Space;

/// A way through a space.
pub trait Searcher {
    /// Its name on the command line and in records.
    fn name(&self) -> &'static str;

    /// Tries points until it has nothing more to try, or the budget is spent.
    ///
    /// # Errors
    /// [`Spent`], as `trial` gives it.
    fn search(&self, space: &Space, random: &mut Random, trial: &mut Trial<'_>) -> Result<(), Spent>;
}

/// The searchers, by name.
pub fn searchers() -> [&'static dyn Searcher; 4] {
    [&Exhaustive, &Uniform, &Greedy, &Genetic]
}

/// The budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent;

/// What a searcher tries points with. A point costs budget once; what is known already is free.
pub struct Trial<'a> {
    measure: &'a mut dyn FnMut(usize) -> Result<f64, Spent>,
    known: HashMap<usize, f64>,
    best: Option<(usize, f64)>,
    tried: Vec<usize>,
}

impl<'a> Trial<'a> {
    /// Trials by `measure`: the time of a point, infinite where it has none.
    pub fn new(measure: &'a mut dyn FnMut(usize) -> Result<f64, Spent>) -> Trial<'a> {
        Trial { measure, known: HashMap::new(), best: None, tried: Vec::new() }
    }

    /// The time of a point; infinite where it cannot be run.
    ///
    /// # Errors
    /// The budget is spent.
    pub fn time(&mut self, point: usize) -> Result<f64, Spent> {
        if let Some(&time) = self.known.get(&point) {
            return Ok(time);
        }
        let time = (self.measure)(point)?;
        self.known.insert(point, time);
        self.tried.push(point);
        if time.is_finite() && self.best.is_none_or(|(_, best)| time < best) {
            self.best = Some((point, time));
        }
        Ok(time)
    }

    /// Whether a point was tried.
    pub fn knows(&self, point: usize) -> bool {
        self.known.contains_key(&point)
    }

    /// The best point so far, and its time.
    pub fn best(&self) -> Option<(usize, f64)> {
        self.best
    }

    /// The points that were tried, in order.
    pub fn tried(&self) -> &[usize] {
        &self.tried
    }
}

/// A point that was not tried yet, all equally likely; `None` where all were.
fn untried(space: &Space, random: &mut Random, trial: &Trial<'_>) -> Option<usize> {
    let left: Vec<usize> = (0..space.len()).filter(|&point| !trial.knows(point)).collect();
    random.pick(&left).copied()
}

/// The most promising point that was not tried; any, where nothing is expected of points. `None` where all were tried.
fn first(space: &Space, random: &mut Random, trial: &Trial<'_>) -> Option<usize> {
    let expected = space.promising().iter().copied().find(|&point| !trial.knows(point));
    expected.or_else(|| untried(space, random, trial))
}
