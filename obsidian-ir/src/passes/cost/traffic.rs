//! From an access to its requests: the instances of a `ForAll` go to consecutive lanes, round after round, as
//! `virtualise` shares them out. An index that is affine in the rounds of the loops, without a guard, costs the same
//! wherever its first element lies the same in a sector: such requests are counted, not listed. All others are listed.

use super::collect::Found;
use super::report::Requests;
use super::request::{Ask, Cost, How, Unit};
use crate::level::Level;
use crate::passes::access::{Kind, Sites, Team};
use crate::passes::index::{Sum, Table, lanes_of};
use crate::program::{Program, Space};
use crate::tables::HashMap;

/// Table of a warp.
const LANES: u32 = 32;

/// The loops around an access, as its requests see them.
struct Shape {
    /// Rounds of the loops outside of the instances.
    outer: u64,
    /// Instances; 1 where all threads do the same.
    n: u32,
    /// Rounds of the loops inside that its index and guard depend on.
    inner: u64,
    /// The number of requests that each evaluated one stands for.
    times: u64,
    /// The instances of the warps: first, and how many.
    warps: Vec<(u32, u32)>,
    /// Whether all lanes request the element of the one instance.
    together: bool,
}

/// The instances that the warps take, of `n` on `real` threads.
fn shares(n: u32, real: u32) -> Vec<(u32, u32)> {
    let rounds = (0..n).step_by(real.max(1) as usize);
    let of = |first: u32| {
        let end = n.min(first.saturating_add(real));
        (first..end).step_by(LANES as usize).map(move |at| (at, (end - at).min(LANES)))
    };
    rounds.flat_map(of).collect()
}

/// The number of elements of an access, in all lanes that take part in it.
pub(super) fn elements(p: &Program, found: &Found, sites: &mut Sites<'_>) -> Option<u64> {
    let site = &found.site;
    let everyone = if found.in_warp { p.lanes() } else { p.threads };
    let times = if site.team == Team::Everyone { u64::from(everyone) } else { 1 };
    active(&site.guard.mask, &site.extents, sites).map(|n| n * times * u64::from(site.width))
}

/// In how many lanes a mask holds.
pub(super) fn active(mask: &Table, extents: &[u32], sites: &mut Sites<'_>) -> Option<u64> {
    let all = lanes_of(extents);
    match mask.as_uniform() {
        Some(0) => Some(0),
        Some(_) => Some(all),
        None => {
            let depth = mask.depth();
            let some = lanes_of(&extents[..depth]);
            sites.budget().take(some).then(|| {
                let set: u64 = mask.spread(extents, depth).iter().map(|&v| u64::from(v)).sum();
                set * all.checked_div(some).unwrap_or(0)
            })
        }
    }
}

/// The requests of an access whose index is `index`; `None` if there are too many, or if their relative addresses are
/// known only at launch.
pub(super) fn requests(
    p: &Program,
    found: &Found,
    index: &Sum,
    sites: &mut Sites<'_>,
    asked: &mut Asked,
) -> Option<Requests> {
    let site = &found.site;
    let array = p.array(site.array);
    let unit = Unit { bytes: array.elem.bytes(), width: site.width };
    let how = match (array.space, site.kind) {
        (Space::Global(_), _) => How::Global,
        (_, Kind::Atomic) => How::SharedAtomic,
        _ => How::Shared,
    };
    let index = in_copies(p, found, index);
    let uniform = index.terms.iter().all(|(_, c)| c.as_uniform().is_some());
    if how != How::Global && !uniform {
        return None;
    }
    if let Team::Threads(d) = site.team
        && !sites.budget().take((site.extents[d - 1] / LANES).into())
    {
        return None;
    }
    let known = asked.0.entry((how, unit)).or_default();
    let mut t = Tally { how, unit, sum: Requests::default(), known };
    let closed = uniform && site.guard.mask.as_uniform() == Some(1);
    match &index.rest {
        Table::Affine { base, steps } if closed => {
            let depth = team_depth(site.team, &site.extents);
            let shape = shape(p, found, depth);
            t.counted(&shape, &site.extents, *base, (steps, depth), shift(&index, 0, how.period(unit)));
        }
        _ => {
            let coefficients = index.terms.iter().map(|(_, c)| c.depth()).max().unwrap_or(0);
            let depth = index.rest.depth().max(site.guard.mask.depth()).max(coefficients);
            let depth = depth.max(team_depth(site.team, &site.extents));
            if !sites.budget().take(lanes_of(&site.extents[..depth])) {
                return None;
            }
            t.listed(&shape(p, found, depth), &index, found, depth);
        }
    }
    Some(t.sum)
}

/// How many of the loops are needed to tell the instances apart.
fn team_depth(team: Team, extents: &[u32]) -> usize {
    match team {
        Team::Threads(d) => d,
        _ => extents.len(),
    }
}

/// The index among all copies of a warp's array, where that matters: elements smaller than a word.
fn in_copies(p: &Program, found: &Found, index: &Sum) -> Sum {
    let array = p.array(found.site.array);
    match (found.site.warp, p.exprs.as_u32(array.len)) {
        (Some(dim), Some(len)) if array.space == Space::Shared(Level::Warp) && array.elem.bytes() < 4 => {
            let extents = &found.site.extents;
            let copy = Table::counter(dim, 0, 1).map(extents, |w| (w % p.warps()) * len);
            Sum { terms: index.terms.clone(), rest: index.rest.add(&copy, extents) }
        }
        _ => index.clone(),
    }
}

fn shape(p: &Program, found: &Found, depth: usize) -> Shape {
    let (site, extents) = (&found.site, &found.site.extents);
    let times = lanes_of(&extents[depth..]);
    match site.team {
        Team::Threads(d) => {
            let n = extents[d - 1];
            let real = if found.level == Some(Level::Warp) { p.lanes() } else { p.threads };
            let (outer, inner) = (lanes_of(&extents[..d - 1]), lanes_of(&extents[d..depth]));
            Shape { outer, n, inner, times, warps: shares(n, real), together: false }
        }
        _ => {
            let warps = if found.in_warp { 1 } else { p.threads.div_ceil(LANES) };
            let times = times * u64::from(warps);
            let outer = lanes_of(&extents[..depth]);
            Shape { outer, n: 1, inner: 1, times, warps: vec![(0, p.threads.min(LANES))], together: true }
        }
    }
}

/// The greatest step, below the period, of which the symbolic part of a lane's index is always a multiple.
fn shift(index: &Sum, lane: usize, period: u32) -> u32 {
    let of = |c: &Table| match c {
        Table::Affine { base, .. } => *base,
        Table::Listed { values, .. } => values.get(lane).copied().unwrap_or(0),
    };
    index.terms.iter().map(|(_, c)| of(c)).fold(period, |g, c| if c == 0 { g } else { g.min(1 << c.trailing_zeros()) })
}

/// The requests of a program whose costs are known: most accesses ask for what others have asked for.
#[derive(Default)]
pub(super) struct Asked(HashMap<(How, Unit), KnownCosts>);

#[derive(Default)]
struct KnownCosts {
    /// By the number of lanes, the place in the period, and the distance between the elements.
    even: HashMap<(u32, u32, i64), Cost>,
    /// Those of other requests, moved by whole periods until the first element lies in the first period.
    uneven: HashMap<Vec<Ask>, Cost>,
}

struct Tally<'k> {
    how: How,
    unit: Unit,
    sum: Requests,
    known: &'k mut KnownCosts,
}

impl Tally<'_> {
    /// Requests of an affine index.
    fn counted(&mut self, s: &Shape, extents: &[u32], base: u32, (steps, depth): (&[u32], usize), shift: u32) {
        let period = self.how.period(self.unit);
        let team = if s.together { None } else { Some(depth - 1) };
        let mut starts = vec![0u64; period as usize];
        starts[(base % period) as usize] = 1;
        let others = extents.iter().zip(steps).enumerate().filter(|(dim, _)| Some(*dim) != team);
        for (_, (&n, &step)) in others {
            starts = turned(&starts, n, step);
        }
        let step = team.map_or(0, |dim| steps[dim]);
        let times = if s.together { s.times } else { 1 };
        let mut shares: HashMap<(u32, u32), u64> = HashMap::default();
        for &(first, n) in &s.warps {
            *shares.entry((first.wrapping_mul(step) % period, n)).or_default() += times;
        }
        let mut shares: Vec<_> = shares.into_iter().collect();
        shares.sort_unstable();
        for ((from, n), share) in shares {
            for (at, &count) in (0..).zip(&starts).filter(|(_, c)| **c > 0) {
                let place = (at + from) % period;
                let moves = self.moves(place.into(), shift);
                let costs: Vec<Cost> =
                    moves.iter().map(|by| self.run(n, (place + by) % period, i64::from(step as i32))).collect();
                self.add(&costs, count * share);
            }
        }
    }

    /// Requests one by one.
    fn listed(&mut self, s: &Shape, index: &Sum, found: &Found, depth: usize) {
        let extents = &found.site.extents;
        let values = index.rest.spread(extents, depth);
        let mask = found.site.guard.mask.spread(extents, depth);
        let terms =
            index.terms.iter().map(|(k, c)| (k.clone(), Table::Listed { depth, values: c.spread(extents, depth) }));
        let spread = Sum { terms: terms.collect(), rest: Table::uniform(0) };
        let uniform = index.terms.iter().all(|(_, c)| c.as_uniform().is_some());
        let steps = shift(&spread, 0, self.how.period(self.unit));
        let mut lanes: Vec<(u32, usize)> = Vec::with_capacity(LANES as usize);
        let mut asks: Vec<Ask> = Vec::with_capacity(LANES as usize);
        for outer in 0..s.outer {
            for &(first, n) in &s.warps {
                for inner in 0..s.inner {
                    let lane = |l: u32| ((outer * u64::from(s.n) + u64::from(first + l)) * s.inner + inner) as usize;
                    lanes.clear();
                    if s.together {
                        lanes.extend((0..n).map(|l| (l, outer as usize)));
                    } else {
                        lanes.extend((0..n).map(|l| (l, lane(l))));
                    }
                    lanes.retain(|&(_, at)| mask[at] != 0);
                    if uniform {
                        asks.clear();
                        asks.extend(lanes.iter().map(|&(l, at)| (l, i64::from(values[at] as i32))));
                        self.asked(&asks, steps, s.times);
                    } else {
                        self.request(&lanes, &values, &spread, s.times);
                    }
                }
            }
        }
    }

    /// Adds a request whose elements have known distances.
    fn asked(&mut self, asks: &[Ask], steps: u32, times: u64) {
        let Some(&(_, first)) = asks.first() else { return };
        if steps == self.how.period(self.unit) {
            let cost = self.ask(asks, 0);
            return self.add(&[cost], times);
        }
        let costs: Vec<Cost> = self.moves(first, steps).iter().map(|&by| self.ask(asks, by)).collect();
        self.add(&costs, times);
    }

    /// Adds a request: its lanes, and the places of their values in the tables. Elements that differ by values known
    /// only at launch are taken to lie in different sectors.
    fn request(&mut self, lanes: &[(u32, usize)], values: &[u32], symbols: &Sum, times: u64) {
        let Some(&(_, first)) = lanes.first() else { return };
        let period = self.how.period(self.unit);
        let same = |a: usize, b: usize| {
            symbols.terms.iter().all(|(_, c)| matches!(c, Table::Listed { values, .. } if values[a] == values[b]))
        };
        let mut left: Vec<(u32, usize)> = lanes.to_vec();
        let mut parts: Vec<Vec<Cost>> = Vec::new();
        let mut at = first;
        while !left.is_empty() {
            let (mine, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|&(_, k)| same(k, at));
            let asks: Vec<Ask> = mine.iter().map(|&(l, k)| (l, i64::from(values[k] as i32))).collect();
            let moves = self.moves(asks.first().map_or(0, |a| a.1), shift(symbols, at, period));
            parts.push(moves.iter().map(|&by| self.ask(&asks, by)).collect());
            at = others.first().map_or(first, |o| o.1);
            left = others;
        }
        self.sum.alignments = parts.iter().map(|p| p.len() as u32).fold(self.sum.alignments, u32::max);
        let mean: f64 = parts.iter().map(|p| mean(p)).sum();
        let worst: u32 = parts.iter().filter_map(|p| p.iter().map(|c| c.transactions).max()).sum();
        let elements: u32 = parts.iter().filter_map(|p| p.first()).map(|c| c.elements).sum();
        self.note((mean, worst, worst), ((elements * self.unit.bytes).div_ceil(32), elements), times);
    }

    /// The elements by which requests may be moved that are known up to multiples of `step`: a vector stays aligned.
    fn moves(&self, first: i64, step: u32) -> Vec<u32> {
        let width = i64::from(self.unit.width);
        let all = (0..self.how.period(self.unit)).step_by(step as usize);
        all.filter(|&by| (first + i64::from(by)).rem_euclid(width) == 0).collect()
    }

    /// The cost of some lanes, moved by `by` elements.
    fn ask(&mut self, asks: &[Ask], by: u32) -> Cost {
        let [(lane, first), rest @ ..] = asks else { return Cost::default() };
        let step = rest.first().map_or(0, |r| r.1 - first);
        let even = (0..).zip(rest).all(|(k, r)| r.0 == lane + k + 1 && r.1 == first + step * (i64::from(k) + 1));
        if even && *lane == 0 {
            let period = self.how.period(self.unit);
            let place = (first + i64::from(by)).rem_euclid(period.into()) as u32;
            return self.run(asks.len() as u32, place, step);
        }
        let period = i64::from(self.how.period(self.unit));
        let by = (first + i64::from(by)).rem_euclid(period) - first;
        let mut moved = asks.to_vec();
        moved.iter_mut().for_each(|a| a.1 += by);
        if let Some(&cost) = self.known.uneven.get(&moved) {
            return cost;
        }
        let cost = self.how.cost(&moved, self.unit);
        self.known.uneven.insert(moved, cost);
        cost
    }

    /// The cost of `n` lanes, `step` elements apart.
    fn run(&mut self, n: u32, place: u32, step: i64) -> Cost {
        let (how, unit) = (self.how, self.unit);
        *self.known.even.entry((n, place, step)).or_insert_with(|| {
            let asks: Vec<Ask> = (0..n).map(|l| (l, i64::from(place) + step * i64::from(l))).collect();
            how.cost(&asks, unit)
        })
    }

    /// Adds requests that have one of these costs with equal probability.
    fn add(&mut self, costs: &[Cost], times: u64) {
        let Some(first) = costs.first() else { return };
        let most = costs.iter().map(|c| c.transactions).max().unwrap_or(0);
        let worst = costs.iter().map(|c| c.worst).max().unwrap_or(0);
        self.sum.alignments = self.sum.alignments.max(costs.len() as u32);
        self.note((mean(costs), most, worst), (first.least, first.elements), times);
    }

    fn note(&mut self, (mean, most, worst): (f64, u32, u32), (least, elements): (u32, u32), times: u64) {
        let s = &mut self.sum;
        s.count += times;
        s.transactions += mean * times as f64;
        s.least += u64::from(least) * times;
        s.worst = s.worst.max(worst);
        s.excess = s.excess.max(most.saturating_sub(least));
        s.wanted += u64::from(elements * self.unit.bytes) * times;
    }
}

fn mean(costs: &[Cost]) -> f64 {
    costs.iter().map(|c| f64::from(c.transactions)).sum::<f64>() / costs.len().max(1) as f64
}

/// How often each place in a period is a start, after a loop of `n` rounds of `step`.
fn turned(starts: &[u64], n: u32, step: u32) -> Vec<u64> {
    let period = starts.len() as u32;
    let mut out = vec![0; starts.len()];
    for turn in 0..period.min(n) {
        // Rounds `turn`, `turn + period` ..
        let rounds = u64::from((n - turn).div_ceil(period));
        let by = step.wrapping_mul(turn) % period;
        for (at, &count) in (0..).zip(starts) {
            out[((at + by) % period) as usize] += count * rounds;
        }
    }
    out
}
