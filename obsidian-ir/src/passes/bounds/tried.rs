//! R19. Small launches: what elimination cannot tell is tried. An access is done as a launch of small lengths and scalars would do it:
//! its counters run through their extents, its conditions are evaluated, and its index is compared with the length. A read without a
//! proof that strays in no small launch gets a guard: what stays open is tested when the kernel runs. One that does stray is a mistake
//! in the program, and refused.
//!
//! *Why this is safe:* nothing is let through for it without a guard. What is not known (data, variables that change) may have any
//! value: a condition on it may hold, an index made of it may stray. Where there are too many rounds to go through all, the first, the
//! last and some between are looked at, which may make a guard of a refusal.

use super::require::Condition;
use super::trial::{Numbers, Trial, is_value, nodes};
use crate::program::scoped::Around;
use crate::program::{ExprId, Program};

/// What came of an access in small launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tried {
    /// It strays in this one.
    Strays(Stray),
    /// It never strays.
    Inside,
    /// Its index is made of what is not known, or no launch could be tried to the end.
    Open,
}

/// An access that strays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stray {
    /// The lengths and scalars.
    pub(super) launch: Vec<(ExprId, u64)>,
    pub(super) index: u64,
    pub(super) len: u64,
}

/// Nodes of expressions that are evaluated for all accesses of a program, at most.
const MAX_STEPS: u64 = 3_000_000;
/// The same for one question.
const MAX_STEPS_OF_ONE: u64 = 300_000;
/// Launches that are tried.
const MAX_LAUNCHES: usize = 24;
/// A mistake shows where lengths and scalars are at least this, if not before.
const SOME: u64 = 5;
/// Lengths of a long array, odd ones among them. Products of two such do not wrap.
const LONG: [u64; 3] = [40_000, 40_001, 39_999];

/// An access that is kept for later.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    around: Vec<Around>,
    index: ExprId,
    len: ExprId,
}

impl Kept {
    pub(super) fn new(around: &[Around], index: ExprId, len: ExprId) -> Kept {
        Kept { around: around.to_vec(), index, len }
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place { around: &self.around, index: self.index, len: self.len }
    }

    pub(super) fn len(&self) -> ExprId {
        self.len
    }
}

/// What has been spent on the accesses of a program.
#[derive(Debug)]
pub(super) struct Trials {
    left: u64,
}

/// An access.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// What is around it, outermost first.
    pub(super) around: &'a [Around],
    pub(super) index: ExprId,
    pub(super) len: ExprId,
}

impl Place<'_> {
    /// The lengths and scalars that decide the access.
    pub(super) fn values(self, p: &Program) -> Vec<ExprId> {
        nodes(p, &[self]).into_iter().filter(|&e| is_value(p, e)).collect()
    }
}

impl Trials {
    pub(super) fn new() -> Trials {
        Trials { left: MAX_STEPS }
    }

    /// Steps for one question: some are left for the last, too.
    fn share(&self) -> u64 {
        (self.left / 10).min(MAX_STEPS_OF_ONE)
    }

    /// Looks at launches that are `wanted`; the steps for it are spent.
    fn among<'a, R>(
        &mut self,
        p: &'a Program,
        places: &[Place<'a>],
        wanted: impl Fn(&mut Trial<'a>) -> bool,
        look: impl FnOnce(&mut Trial<'a>, &[Numbers]) -> R,
    ) -> Option<R> {
        let mut trial = Trial::new(p, *places.first()?, places, self.share());
        let launches = trial.launches(wanted);
        let found = look(&mut trial, &some_of(&launches));
        self.left -= trial.spent;
        Some(found)
    }

    /// Whether the access strays in some small launch that keeps what is asked already.
    pub(super) fn tried(&mut self, p: &Program, place: Place<'_>, asked: &[&Condition]) -> Tried {
        self.among(p, &[place], |trial| trial.keeps(asked), |trial, launches| trial.all(launches))
            .unwrap_or(Tried::Open)
    }

    /// Whether the access happens, and never strays where its array is long and no other number that decides it is below [`SOME`]: then it is for the
    /// launch to pass enough.
    pub(super) fn is_inside_of_long(&mut self, p: &Program, place: Place<'_>, asked: &[&Condition]) -> bool {
        let decides = Place { len: place.index, ..place }.values(p).contains(&place.len);
        let lengths = if decides { &LONG[..] } else { &[u32::MAX as u64] };
        let mut happens = false;
        for &length in lengths {
            let mut trial = Trial::new(p, place, &[place], self.share());
            let Some(at) = trial.values.iter().position(|&e| e == place.len) else { return false };
            trial.numbers[at] = vec![length];
            let large =
                |trial: &Trial<'_>| trial.values.iter().all(|e| trial.given.get(e).is_some_and(|n| n.bits >= SOME));
            let launches = trial.launches(|trial| large(trial) && trial.keeps(asked));
            let strays = launches.iter().rev().any(|launch| {
                trial.set(launch);
                let found = trial.round(0);
                happens |= found == Some(Tried::Inside);
                matches!(found, Some(Tried::Strays(_)))
            });
            self.left -= trial.spent;
            if strays {
                return false;
            }
        }
        happens
    }

    /// A launch in which the access strays, where it strays in each small launch that comes to it.
    pub(super) fn always(&mut self, p: &Program, place: Place<'_>, asked: &[&Condition]) -> Option<Stray> {
        let strays = |trial: &mut Trial<'_>, launches: &[Numbers]| {
            let mut found = Vec::new();
            for launch in launches {
                trial.set(launch);
                match trial.round(0) {
                    Some(Tried::Strays(stray)) => found.push(stray),
                    None => {}
                    Some(Tried::Inside | Tried::Open) => return None,
                }
            }
            // One launch may be an exception.
            found.into_iter().nth(1)
        };
        self.among(p, &[place], |trial| trial.keeps(asked), strays)?
    }

    /// Whether in each small launch that breaks `condition` one of the accesses strays, or the launch breaks what is asked already.
    pub(super) fn needed(
        &mut self,
        p: &Program,
        places: &[Place<'_>],
        condition: &Condition,
        asked: &[&Condition],
    ) -> bool {
        let breaks = |trial: &mut Trial<'_>| trial.excess(condition) > 0;
        let needed = self.among(p, places, breaks, |trial, launches| {
            let strays = |launch: &Numbers| {
                trial.set(launch);
                !trial.keeps(asked) || trial.some_strays(places, launch)
            };
            !launches.is_empty() && launches.iter().all(strays)
        });
        needed == Some(true)
    }

    /// Whether some small launch misses `condition` by far, or by no more than its constant, and keeps what is asked besides, and none of the accesses strays in it.
    pub(super) fn in_vain(
        &mut self,
        p: &Program,
        places: &[Place<'_>],
        condition: &Condition,
        asked: &[&Condition],
    ) -> bool {
        let misses = |trial: &mut Trial<'_>| condition.is_telling(|e| trial.number(e));
        let in_vain = self.among(p, places, misses, |trial, launches| {
            launches.iter().any(|launch| {
                trial.set(launch);
                trial.keeps(asked) && trial.none_strays(places, launch)
            })
        });
        in_vain == Some(true)
    }
}

/// The first launches, and some of all.
fn some_of(launches: &[Numbers]) -> Vec<Numbers> {
    let spread = (1..=MAX_LAUNCHES).map(|k| launches.len() * k / MAX_LAUNCHES);
    let spread = spread.filter(|&end| end > MAX_LAUNCHES).map(|end| launches[end - 1].clone());
    launches.iter().take(MAX_LAUNCHES).cloned().chain(spread).collect()
}
