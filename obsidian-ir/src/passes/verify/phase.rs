//! Races inside one phase: two threads on one element, of which one writes.
//!
//! Takes the sites of one array in code whose threads may run in any order; gives a verdict and the site to blame.

use super::alone;
use super::counters::{Added, DataLook, added};
use super::report::{Fault, Verdict, does, rounds, who};
use super::{by_data, residues, turned};
use crate::level::Level;
use crate::passes::access::{Kind, Site, Sites, Sure, Team};
use crate::passes::index::{Table, lanes_of};
use crate::program::{Claim, Program, Space, VarId};
use crate::tables::HashSet;

/// Elements that are looked at one by one, at most.
const SPAN: u32 = 1 << 20;

/// Whose order is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parties {
    /// The instances of one `ForAll`.
    Instances,
    /// The warps of one `DistrPar`, over all of its code.
    Warps,
    /// The blocks of the grid, each one round of the outermost loop.
    Blocks,
}

/// A verdict about some sites: the claim of those it blames, and which of them.
pub(super) struct Finding {
    pub(super) verdict: Verdict,
    pub(super) claim: Claim,
    pub(super) site: usize,
}

impl Finding {
    /// Takes the reason from `example`, in which rounds are looked at one by one, where it names two who may meet.
    pub(super) fn exemplify(&mut self, example: Option<Finding>) {
        if let (Verdict::Unproved(_), Some(Finding { verdict: Verdict::Unproved(why), .. })) = (&self.verdict, example)
            && why.starts_with("on element")
        {
            self.verdict = Verdict::Unproved(why);
        }
    }
}

/// Looks for a race between `sites`, all of one array. What the author answers for is left out. The counters `own` are not in
/// step: each party has its own.
pub(super) fn races(
    p: &Program,
    sites: &[Site],
    (parties, own): (Parties, &HashSet<VarId>),
    budget: &mut Sites<'_>,
) -> Option<Finding> {
    let of: Vec<usize> = (0..sites.len()).filter(|&k| sites[k].claim != Claim::Author && !empty(&sites[k])).collect();
    if of.iter().all(|&k| sites[k].kind == Kind::Read) || of.iter().all(|&k| sites[k].kind == Kind::Atomic) {
        return None;
    }
    if let [k] = of[..]
        && is_injective(p, &sites[k], (parties, own), budget)
    {
        return None;
    }
    if alone::is_by_one(sites, &of, parties, budget) {
        return None;
    }
    let (mut verdict, mut pair) = Look::new(p, sites, parties).all(&of, own, budget);
    if matches!(verdict, Verdict::Unproved(_)) {
        let cases = residues::cases(p, sites, own, budget);
        let mut found = cases.iter().map(|sites| in_case(p, sites, (&of, own), parties, budget));
        // The first case that goes wrong, or that it is proved in all.
        if let Some(first) = found.find(|(verdict, _)| *verdict != Verdict::Proved) {
            // There need not be such a round.
            (verdict, pair) = match first {
                (Verdict::Refuted(fault), pair) => (Verdict::Doubtful(fault), pair),
                open => open,
            };
        } else if !cases.is_empty()
            || by_data::apart(p, sites, (&of, own), parties, budget)
            || apart_if_straight(p, sites, (&of, own), parties, budget)
        {
            (verdict, pair) = (Verdict::Proved, Vec::new());
        }
    }
    // The library's loops write each index once, but do not read in a phase what they write in it: only a mutable array is
    // used so, and then that nobody reads what another writes is to be proved.
    let in_place = of.iter().any(|&k| sites[k].kind == Kind::Read);
    // Without a pair at hand any of the writes may be at fault.
    let blamed = if pair.is_empty() { of } else { pair };
    let weight = |k: usize| match sites[k].kind {
        Kind::Read => Claim::ByConstruction,
        Kind::Write if in_place => sites[k].claim.max(Claim::MustProve),
        Kind::Write => sites[k].claim,
        // The library has no atomics: the author wrote this one.
        Kind::Atomic => Claim::MustProve,
    };
    let site = blamed.into_iter().max_by_key(|&k| (weight(k), sites[k].kind == Kind::Write))?;
    Some(Finding { verdict, claim: weight(site), site })
}

/// The verdict in one case of R22, with R24 where data has a part in a place.
fn in_case(
    p: &Program,
    sites: &[Site],
    (of, own): (&[usize], &HashSet<VarId>),
    parties: Parties,
    budget: &mut Sites<'_>,
) -> (Verdict, Vec<usize>) {
    match Look::new(p, sites, parties).all(of, own, budget) {
        (Verdict::Unproved(_), _) if by_data::apart(p, sites, (of, own), parties, budget) => {
            (Verdict::Proved, Vec::new())
        }
        found => found,
    }
}

/// R30. Whether parties stay apart without the turn that all their places make.
fn apart_if_straight(
    p: &Program,
    sites: &[Site],
    (of, own): (&[usize], &HashSet<VarId>),
    parties: Parties,
    budget: &mut Sites<'_>,
) -> bool {
    let all: Vec<&Site> = of.iter().map(|&k| &sites[k]).collect();
    let Some((straight, _)) = turned::straight(&all, own, budget) else { return false };
    let of: Vec<usize> = (0..straight.len()).collect();
    Look::new(p, &straight, parties).all(&of, own, budget).0 == Verdict::Proved
}

fn empty(site: &Site) -> bool {
    lanes_of(&site.extents) == 0
}

/// Whether a site's lanes all touch different elements, seen from its form.
fn is_injective(p: &Program, site: &Site, (parties, own): (Parties, &HashSet<VarId>), finder: &Sites<'_>) -> bool {
    let Some(index) = &site.index else { return false };
    let Table::Affine { steps, .. } = &index.rest else { return false };
    let told_apart = match parties {
        Parties::Instances => matches!(site.team, Team::Threads(_)),
        Parties::Warps => site.warp.is_some(),
        Parties::Blocks => true,
    };
    if !told_apart {
        return false;
    }
    let Some(added) = added(&[index], own, finder).filter(|added| added.offsets[0] == [0]) else { return false };
    let own_copies = p.array(site.array).space == Space::Shared(Level::Warp);
    let digits = site.extents.iter().zip(steps).enumerate();
    let digits = digits.filter(|&(dim, (&n, _))| n > 1 && !(own_copies && site.warp == Some(dim)));
    let mut digits: Vec<(u64, u64)> =
        digits.map(|(_, (&n, &step))| (u64::from((step as i32).unsigned_abs()), u64::from(n))).collect();
    digits.sort_unstable();
    let mut reach = 0;
    for (size, n) in digits {
        if size <= reach {
            return false;
        }
        reach += size * (n - 1);
    }
    reach <= added.mask.into()
}

/// Who touched an element: the site, the lane, the party.
#[derive(Debug, Clone, Copy)]
struct Touched {
    site: usize,
    lane: u64,
    party: u64,
}

pub(super) struct Look<'a> {
    p: &'a Program,
    sites: &'a [Site],
    parties: Parties,
    /// What the parties' own counters may add to each site's index.
    added: Added,
    /// How what data adds is looked at, where the sites' indices are only what is known of them.
    data: Option<DataLook>,
    /// The first two that may meet, though it is not sure that both come by.
    doubt: Option<(Fault, Vec<usize>)>,
}

impl<'a> Look<'a> {
    pub(super) fn new(p: &'a Program, sites: &'a [Site], parties: Parties) -> Look<'a> {
        let added = Added { offsets: vec![vec![0]; sites.len()], mask: u32::MAX };
        Look { p, sites, parties, added, data: None, doubt: None }
    }

    /// Looks at what data adds to each place in this way.
    pub(super) fn with_data(self, look: DataLook) -> Look<'a> {
        Look { data: Some(look), ..self }
    }

    pub(super) fn all(&mut self, of: &[usize], own: &HashSet<VarId>, budget: &mut Sites<'_>) -> (Verdict, Vec<usize>) {
        let unproved = |why: &str, sites: Vec<usize>| (Verdict::Unproved(why.to_string()), sites);
        let unknown: Vec<usize> = of.iter().copied().filter(|&k| self.sites[k].index.is_none()).collect();
        if !unknown.is_empty() {
            let writes: Vec<usize> = unknown.iter().copied().filter(|&k| self.sites[k].kind != Kind::Read).collect();
            let why = "an index is not known while compiling, or there are too many to look at";
            return unproved(why, if writes.is_empty() { Vec::new() } else { writes });
        }
        let indices: Vec<_> = of.iter().filter_map(|&k| self.sites[k].index.as_ref()).collect();
        let comparable = |&k: &usize| {
            let site = &self.sites[k];
            let counted = match self.parties {
                Parties::Instances => site.team == self.sites[of[0]].team,
                Parties::Warps => site.warp.is_some(),
                Parties::Blocks => true,
            };
            counted && site.team != Team::Unknown
        };
        let added = added(&indices, own, budget);
        let Some(added) = added.filter(|_| of.iter().all(comparable)) else {
            return unproved("indices that differ in what is known at launch only are not compared", Vec::new());
        };
        for (&k, offsets) in of.iter().zip(added.offsets) {
            self.added.offsets[k] = offsets;
        }
        self.added.mask = added.mask;
        if let Some(look) = self.data {
            for &k in of {
                let terms = self.sites[k].by_data.first().map_or(&[][..], |by_data| &by_data.terms);
                self.added.gain_data(k, terms, look);
            }
        }
        let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
        let lanes = sum(&mut of.iter().map(|&k| lanes_of(&self.sites[k].extents)));
        let enough = budget.budget().take(lanes) && {
            let more = sum(&mut of.iter().map(|&k| self.added.each(k).saturating_mul(self.places(k).len() as u64)));
            more <= lanes || budget.budget().take(more - lanes)
        };
        if !enough {
            return unproved("there are too many elements to look at", Vec::new());
        }
        self.meet(of)
    }

    fn meet(&mut self, of: &[usize]) -> (Verdict, Vec<usize>) {
        let mut touches: Vec<(Touched, u32)> = Vec::new();
        for rank in [Kind::Write, Kind::Atomic, Kind::Read] {
            for &k in of.iter().filter(|&&k| self.sites[k].kind == rank) {
                self.touches(k, &mut touches);
            }
        }
        let Some(&(_, origin)) = touches.first() else { return (Verdict::Proved, Vec::new()) };
        let signed = |e: u32| e.wrapping_sub(origin) as i32;
        let low = touches.iter().map(|&(_, e)| signed(e)).min().unwrap_or(0);
        let high = touches.iter().map(|&(_, e)| signed(e)).max().unwrap_or(0);
        if high.abs_diff(low) >= SPAN {
            return (Verdict::Unproved("the elements lie too far apart".to_string()), Vec::new());
        }
        let mut first: Vec<[Option<Touched>; 2]> = vec![[None; 2]; high.abs_diff(low) as usize + 1];
        for (now, e) in touches {
            let [writes, atomics] = &mut first[signed(e).abs_diff(low) as usize];
            let kind = self.sites[now.site].kind;
            let other = [*writes, atomics.filter(|_| kind != Kind::Atomic)];
            for met in other.into_iter().flatten().filter(|t| t.party != now.party) {
                if let Some(found) = self.met(e, met, now) {
                    return found;
                }
            }
            match kind {
                Kind::Write => *writes = writes.or(Some(now)),
                // Of several parties one is enough for a third, and two for each of them.
                Kind::Atomic => *atomics = atomics.map_or(Some(now), |a| Some(many(a, now))),
                Kind::Read => {}
            }
        }
        match self.doubt.take() {
            None => (Verdict::Proved, Vec::new()),
            Some((Fault::Race { first, second, .. }, pair)) if self.added.mask != u32::MAX => {
                let why = format!("two may meet, each in a round of its own: {first}, and {second}");
                (Verdict::Unproved(why), pair)
            }
            Some((Fault::Race { element, first, second, .. }, pair)) => {
                (Verdict::Unproved(format!("on element {element} two may meet: {first}, and {second}")), pair)
            }
            Some((_, pair)) => (Verdict::Unproved("two threads may meet".to_string()), pair),
        }
    }

    fn met(&mut self, element: u32, a: Touched, b: Touched) -> Option<(Verdict, Vec<usize>)> {
        let [x, y] = [a, b].map(|t| &self.sites[t.site]);
        let says = |s: &Site, t: Touched| match self.parties {
            Parties::Blocks => format!("block {}{} {}", t.party, rounds(s, t.lane, 1), does(s.kind)),
            Parties::Warps => format!("{}{} {}", who(s, t.lane), rounds(s, t.lane, 0), does(s.kind)),
            Parties::Instances => format!("{} {}", who(s, t.lane), does(s.kind)),
        };
        let len = self.p.exprs.as_u32(self.p.array(x.array).len);
        let own_copies = self.p.array(x.array).space == Space::Shared(Level::Warp);
        let element = if own_copies { element % len.unwrap_or(1).max(1) } else { element };
        let with = if y.kind == Kind::Read { Kind::Read } else { x.kind };
        let fault = Fault::Race { element, first: says(x, a), second: says(y, b), with };
        let pair = vec![a.site, b.site];
        let certain = |t: Touched, s: &Site| s.guard.sure == Sure::Always && !self.added.concerns(t.site);
        if certain(a, x) && certain(b, y) {
            return Some((Verdict::Refuted(fault), pair));
        }
        self.doubt.get_or_insert((fault, pair));
        None
    }

    /// The elements of a site, with all that own counters and data may add to them.
    fn touches(&self, k: usize, out: &mut Vec<(Touched, u32)>) {
        let offsets = &self.added.offsets[k];
        for (touched, element) in self.places(k) {
            out.extend(offsets.iter().map(|&offset| (touched, element.wrapping_add(offset) & self.added.mask)));
        }
    }

    /// The known elements of a site, those of a warp's array counted through all warps' copies. Where something is added to them, a party
    /// that comes by one of them again and again is there once.
    fn places(&self, k: usize) -> Vec<(Touched, u32)> {
        let site = &self.sites[k];
        let Some(index) = &site.index else { return Vec::new() };
        let dims = match (self.parties, site.team) {
            (Parties::Warps, _) => site.warp.map_or(0, |dim| dim + 1),
            (Parties::Blocks, _) => 1.min(site.extents.len()),
            (_, Team::Threads(dims)) => dims,
            _ => site.extents.len(),
        };
        let each = lanes_of(&site.extents[dims..]).max(1);
        let copies = Copies::of(self.p, site);
        let all = site
            .among(&index.rest)
            .into_iter()
            .map(|(lane, e)| (Touched { site: k, lane, party: lane / each }, e.wrapping_add(copies.start(lane))));
        if self.added.each(k) == 1 {
            return all.collect();
        }
        let mut seen = HashSet::default();
        all.filter(|(touched, element)| seen.insert((touched.party, *element))).collect()
    }
}

/// An update by one party beside an update by another: any third party meets one of them.
fn many(a: Touched, b: Touched) -> Touched {
    if a.party == b.party { a } else { Touched { party: u64::MAX, ..a } }
}

/// The copies of a warp's array, numbered through.
pub(super) struct Copies {
    len: u32,
    each: u64,
    warps: u64,
}

impl Copies {
    pub(super) fn of(p: &Program, site: &Site) -> Copies {
        let array = p.array(site.array);
        let own = (array.space == Space::Shared(Level::Warp)).then_some(()).and(site.warp);
        match (own, p.exprs.as_u32(array.len)) {
            (Some(dim), Some(len)) => {
                Copies { len, each: lanes_of(&site.extents[dim + 1..]).max(1), warps: site.extents[dim].into() }
            }
            _ => Copies { len: 0, each: 1, warps: 1 },
        }
    }

    /// Elements of all copies.
    pub(super) fn total(&self, len: u32) -> u64 {
        self.warps.max(1) * u64::from(len)
    }

    /// The number of the first element of the copy that a lane uses.
    pub(super) fn start(&self, lane: u64) -> u32 {
        (lane / self.each % self.warps.max(1)) as u32 * self.len
    }
}
