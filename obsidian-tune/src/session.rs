//! A tuning: prune, search, let the best run against one another, conclude. What was measured before is taken from the record, so
//! a tuning that was killed goes on where it was.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::time::{Duration, Instant};

use obsidian_lang::driver::Variant;

use crate::bench::{Bench, Invalid};
use crate::checksum::mark;
use crate::prune::{Reason, SAME_CODE, Target, expected, prune};
use crate::random::Random;
use crate::record::{Conclusion, Measurement, Phase, Record, Refusal};
use crate::roofline::Roof;
use crate::rounds::{Outcome, PASSES, runoff};
use crate::search::{Searcher, Spent, Trial};
use crate::space::{self, Space};
use crate::statistics::least_of;

/// Samples of a point while the space is searched.
pub const SAMPLES: usize = 3;
/// Points whose time is at most this multiple of the best one's take part in the runoff.
const NEAR: f64 = 1.5;
/// Points that take part in the runoff, at most.
const MAX_FINALISTS: usize = 8;

/// How a space is explored.
pub struct Plan<'a> {
    /// Which way through it.
    pub searcher: &'a dyn Searcher,
    /// When the search ends, if not by itself.
    pub budget: Budget,
    /// Rounds of the runoff, at most.
    pub rounds: usize,
    /// Of everything that is left to chance.
    pub seed: u64,
    /// What a copy takes, for the record.
    pub roof: Option<Roof>,
}

/// When a search ends.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// After this number of points.
    pub points: Option<usize>,
    /// After this time.
    pub time: Option<Duration>,
    /// Once a point takes at most this number of seconds.
    pub target: Option<f64>,
}

/// The variants that are explored, in the order of the attribute.
pub struct Candidates {
    names: Vec<String>,
    programs: Vec<String>,
    points: Vec<Vec<(String, String)>>,
    /// Of two that are as good the one with the lesser of these is taken.
    simplicity: Vec<[u32; 3]>,
    pruned: Vec<Option<Reason>>,
    /// What is expected of each before it is measured.
    expected: Vec<f64>,
}

/// Something that has happened, for an observer.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// How many variants are to be explored, and how many are pruned.
    Begin(usize, usize),
    /// A variant was tried: its time, or why it has none.
    Tried(&'a str, Result<f64, &'a Invalid>),
    /// A round of the runoff is over: its number, and how many candidates are left.
    Round(usize, usize),
}

/// Why nothing was concluded.
#[derive(Debug)]
pub enum Failure {
    /// No variant could be measured; each with the reason.
    NoneValid(Vec<(String, Invalid)>),
    /// The record cannot be written.
    Record(Refusal),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Record(refusal) => refusal.fmt(f),
            Failure::NoneValid(reasons) => {
                write!(f, "no variant could be measured")?;
                reasons.iter().try_for_each(|(name, why)| write!(f, "\n{name}: {why}"))
            }
        }
    }
}

impl std::error::Error for Failure {}

impl Candidates {
    /// These variants, pruned for a target.
    pub fn new(variants: &[&Variant], target: Target<'_>) -> Candidates {
        let points: Vec<Vec<(String, String)>> = variants.iter().map(|v| space::values(v)).collect();
        let simplicity = |v: &&Variant| {
            let cost = v.report.data();
            [cost.shared_bytes, cost.barriers.block + cost.barriers.warp, cost.threads]
        };
        Candidates {
            names: points.iter().map(|values| space::name(values)).collect(),
            programs: variants.iter().map(|v| program(v)).collect(),
            points,
            simplicity: variants.iter().map(simplicity).collect(),
            pruned: prune(variants, target),
            expected: expected(variants),
        }
    }

    /// The same, nothing pruned.
    #[must_use]
    pub fn unpruned(mut self) -> Candidates {
        self.pruned.fill(None);
        self
    }

    /// The mark of all programs, and that of the list of variants.
    pub fn marks(&self) -> [String; 2] {
        [mark(&self.programs.join("\n")), mark(&self.names.join("\n"))]
    }

    /// Why each is left out.
    pub fn pruned(&self) -> &[Option<Reason>] {
        &self.pruned
    }

    /// The variants at these places as a space.
    pub fn space(&self, places: &[usize]) -> Space {
        let expected: Vec<f64> = places.iter().map(|&i| self.expected[i]).collect();
        Space::of_values(places.iter().map(|&i| self.points[i].clone())).expecting(&expected)
    }

    /// How each is named.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// The mark of what a variant is compiled to.
fn program(variant: &Variant) -> String {
    use obsidian_ir::program::print;
    mark(&[print(&variant.native), print(&variant.machine), print(&variant.group)].join("\n"))
}

/// Explores variants, and concludes.
///
/// # Errors
/// No variant could be measured, or the record cannot be written.
pub fn tune(
    candidates: &Candidates,
    bench: &mut dyn Bench,
    record: &mut Record,
    plan: &Plan<'_>,
    watch: &mut dyn FnMut(Event<'_>),
) -> Result<Conclusion, Failure> {
    let open: Vec<usize> = (0..candidates.names.len()).filter(|&i| candidates.pruned[i].is_none()).collect();
    watch(Event::Begin(open.len(), candidates.names.len() - open.len()));
    let mut session = Session::new(candidates, bench, record, watch);
    let space = candidates.space(&open);
    let found = session.search(&space, &open, plan)?;
    let outcome = session.runoff(&finalists(&found), plan)?;
    let Some(outcome) = outcome else { return Err(Failure::NoneValid(session.reasons())) };
    let conclusion = candidates.conclude(&outcome, plan);
    record.conclude(conclusion.clone()).map_err(Failure::Record)?;
    Ok(conclusion)
}

/// Who takes part in the runoff, of points and their times, the fastest first.
pub fn finalists(found: &[(usize, f64)]) -> Vec<usize> {
    let least = found.first().map_or(f64::INFINITY, |&(_, time)| time);
    let valid = found.iter().filter(|&&(_, time)| time.is_finite()).take(MAX_FINALISTS);
    // The best has a rival, however slow.
    let near = valid.enumerate().filter(|&(place, &(_, time))| place < 2 || time <= least * NEAR);
    near.map(|(_, &(variant, _))| variant).collect()
}

impl Candidates {
    fn conclude(&self, outcome: &Outcome, plan: &Plan<'_>) -> Conclusion {
        let name = |i: usize| self.names[i].clone();
        // The simplest of those that are as good: least shared memory, fewest barriers, fewest threads, first in the list.
        let chosen = outcome.tied.iter().copied().min_by_key(|&i| (self.simplicity[i], i)).unwrap_or(outcome.best);
        let pruned = self.pruned.iter().zip(&self.names).filter_map(|(why, name)| {
            // Places are of no use to a reader.
            let said = match why.as_ref()? {
                Reason::Same(other) => format!("{SAME_CODE} `{}`", self.names[*other]),
                Reason::Beaten { than, what, own, other } => {
                    format!("{own:.0} {what}, of `{}` {other:.0}, and better in nothing else", self.names[*than])
                }
                other => other.to_string(),
            };
            Some((name.clone(), said))
        });
        Conclusion {
            chosen: name(chosen),
            verdict: outcome.verdict.name().to_string(),
            tied: outcome.tied.iter().map(|&i| name(i)).collect(),
            rival: outcome.rival.map(|(rival, interval)| (name(rival), interval)),
            pruned: pruned.collect(),
            searcher: plan.searcher.name().to_string(),
            roof: plan.roof,
        }
    }
}

struct Session<'a> {
    candidates: &'a Candidates,
    bench: &'a mut dyn Bench,
    record: &'a mut Record,
    watch: &'a mut dyn FnMut(Event<'_>),
    /// Samples of the record whose program has not changed.
    known: HashMap<(usize, Phase), Result<f64, Invalid>>,
    /// Of this process: what is not verified in it is not timed by it.
    verified: HashMap<usize, Result<(), Invalid>>,
    failed: BTreeMap<usize, Invalid>,
    /// What went wrong with the record.
    broken: Option<Refusal>,
}

impl<'a> Session<'a> {
    fn new(
        candidates: &'a Candidates,
        bench: &'a mut dyn Bench,
        record: &'a mut Record,
        watch: &'a mut dyn FnMut(Event<'_>),
    ) -> Session<'a> {
        let place: HashMap<&str, usize> = candidates.names.iter().map(String::as_str).zip(0..).collect();
        let known = record.contents().measurements.iter().filter_map(|m| {
            let place = *place.get(m.variant.as_str())?;
            let found = m.found.clone().map_err(|(stage, why)| match stage.as_str() {
                "build" => Invalid::Build(why),
                "verify" => Invalid::Verify(why),
                _ => Invalid::Launch(why),
            });
            (candidates.programs[place] == m.program).then_some(((place, m.phase), found))
        });
        let known = known.collect();
        let (verified, failed) = (HashMap::new(), BTreeMap::new());
        Session { candidates, bench, record, watch, known, verified, failed, broken: None }
    }

    fn reasons(&self) -> Vec<(String, Invalid)> {
        self.failed.iter().map(|(&i, why)| (self.candidates.names[i].clone(), why.clone())).collect()
    }

    /// One sample, from the record or measured and put there.
    fn sample(&mut self, variant: usize, phase: Phase) -> Result<f64, Invalid> {
        if let Some(known) = self.known.get(&(variant, phase)) {
            return known.clone();
        }
        let bench = &mut *self.bench;
        let verified = self.verified.entry(variant).or_insert_with(|| bench.verify(variant)).clone();
        let found = verified.and_then(|()| self.bench.sample(variant));
        let said = found.clone().map_err(|why| (why.stage().to_string(), why.reason().to_string()));
        let (variant, program) = (self.candidates.names[variant].clone(), self.candidates.programs[variant].clone());
        let written = self.record.add(Measurement { variant, program, phase, found: said });
        self.broken = self.broken.take().or(written.err());
        found
    }

    /// The least of some samples; infinite where there is none.
    fn tried(&mut self, variant: usize) -> f64 {
        let samples =
            (0..SAMPLES as u32).map(|i| self.sample(variant, Phase::Search(i))).collect::<Result<Vec<f64>, _>>();
        let time = match samples {
            Ok(samples) => least_of(&samples),
            Err(why) => {
                self.failed.insert(variant, why);
                f64::INFINITY
            }
        };
        let name = &self.candidates.names[variant];
        let shown = self.failed.get(&variant).map_or(Ok(time), Err);
        (self.watch)(Event::Tried(name, shown));
        time
    }

    /// The points that were tried with their times, the fastest first.
    fn search(&mut self, space: &Space, open: &[usize], plan: &Plan<'_>) -> Result<Vec<(usize, f64)>, Failure> {
        let start = Instant::now();
        let (mut tried, mut least) = (Vec::new(), f64::INFINITY);
        let budget = plan.budget;
        let mut measure = |point: usize| {
            let spent = budget.points.is_some_and(|n| tried.len() >= n)
                || budget.time.is_some_and(|t| start.elapsed() >= t)
                || budget.target.is_some_and(|t| least <= t);
            if spent || self.broken.is_some() {
                return Err(Spent);
            }
            let time = self.tried(open[point]);
            least = least.min(time);
            tried.push((open[point], time));
            Ok(time)
        };
        let mut trial = Trial::new(&mut measure);
        // Whether all was tried or the budget spent makes no difference to what was found.
        let _ = plan.searcher.search(space, &mut Random::new(plan.seed), &mut trial);
        tried.sort_by(|a, b| a.1.total_cmp(&b.1));
        self.unbroken().map(|()| tried)
    }

    fn runoff(&mut self, finalists: &[usize], plan: &Plan<'_>) -> Result<Option<Outcome>, Failure> {
        let (mut last, mut left) = (0, HashSet::new());
        let mut sample = |variant: usize, pass: usize| {
            let round = pass / PASSES;
            if round != last {
                (self.watch)(Event::Round(last, left.len()));
                (last, left) = (round, HashSet::new());
            }
            left.insert(variant);
            match self.sample(variant, Phase::Round(pass as u32)) {
                Ok(time) => Some(time),
                Err(why) => {
                    self.failed.insert(variant, why);
                    None
                }
            }
        };
        let outcome = runoff(finalists, plan.rounds, &mut Random::new(plan.seed ^ 1), &mut sample);
        self.unbroken().map(|()| outcome)
    }

    fn unbroken(&mut self) -> Result<(), Failure> {
        self.broken.take().map_or(Ok(()), |refusal| Err(Failure::Record(refusal)))
    }
}

#[cfg(test)]
mod tests;
