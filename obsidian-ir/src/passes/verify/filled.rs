//! What has been written of the computed arrays, and whether what is read of them has been.

use super::cover::{Covered, cover};
use super::phase::Copies;
use super::report::{Fault, Verdict};
use super::turned;
use crate::passes::access::{Kind, Site, Sites, Sure, Team};
use crate::passes::index::{Table, lanes_of};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Claim, Program, Space};
use crate::tables::HashSet;

/// Elements kept one by one, at most.
const SPAN: u64 = 1 << 20;

/// Whether a statement is sure to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Sure,
    Perhaps,
}

/// What of an array has been written, in all copies.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Some(Vec<bool>),
    All,
}

/// What has been written of each shared array.
#[derive(Clone)]
pub(super) struct Filled<'p> {
    p: &'p Program,
    parts: Vec<Part>,
    /// The strongest demand among the writes of each array.
    claims: Vec<Option<Claim>>,
    /// Arrays with writes of which it is not known whether they happen.
    perhaps: Vec<bool>,
}

impl<'p> Filled<'p> {
    pub(super) fn new(p: &'p Program) -> Filled<'p> {
        let mut claims = vec![None; p.arrays.len()];
        demands(&p.body, &mut claims);
        Filled { p, parts: vec![Part::Some(Vec::new()); p.arrays.len()], claims, perhaps: vec![false; p.arrays.len()] }
    }

    /// What is said of reads of an array: what nobody writes the author forgot.
    pub(super) fn claim(&self, array: ArrayId) -> Claim {
        self.claims[array.0 as usize].unwrap_or(Claim::MustProve)
    }

    /// The array is new.
    pub(super) fn allocate(&mut self, array: ArrayId) {
        self.parts[array.0 as usize] = Part::Some(Vec::new());
    }

    /// What this and `other` have both.
    pub(super) fn both(&mut self, other: &Filled<'_>) {
        for (a, b) in self.parts.iter_mut().zip(&other.parts) {
            match (&mut *a, b) {
                (_, Part::All) => {}
                (Part::All, some) => *a = some.clone(),
                (Part::Some(x), Part::Some(y)) => {
                    x.truncate(y.len());
                    x.iter_mut().zip(y).for_each(|(x, y)| *x &= y);
                }
            }
        }
    }

    fn shared(&self, site: &Site) -> Option<u32> {
        let array = self.p.array(site.array);
        matches!(array.space, Space::Shared(_)).then(|| self.p.exprs.as_u32(array.len)).flatten()
    }

    /// Notes a write that is sure.
    pub(super) fn write(&mut self, site: &Site, sites: &mut Sites<'_>) {
        let Some(len) = self.shared(site) else { return };
        if let Some((straight, reach)) = turned::straight(&[site], &HashSet::default(), sites)
            && len % reach == 0
            && site.warp.is_none()
            && site.guard.sure == Sure::Always
            && let Some(index) = straight[0].index.as_ref().and_then(|i| i.as_known())
            && cover(&[&straight[0]], &[index], sites) == (Covered::Once { first: 0, count: len })
        {
            self.parts[site.array.0 as usize] = Part::All;
        }
        let Some(index) = site.index.as_ref().and_then(|i| i.as_known()) else { return };
        self.perhaps[site.array.0 as usize] |= site.kind == Kind::Write && site.guard.sure != Sure::Always;
        let part = &self.parts[site.array.0 as usize];
        if site.kind == Kind::Read
            || site.guard.sure != Sure::Always
            || *part == Part::All
            || lanes_of(&site.extents) == 0
        {
            return;
        }
        let copies = Copies::of(self.p, site);
        let all = Covered::Once { first: 0, count: len };
        let steps_alone =
            site.warp.is_none() || !matches!(self.p.array(site.array).space, Space::Shared(crate::Level::Warp));
        if steps_alone && matches!(index, Table::Affine { .. }) && cover(&[site], &[index], sites) == all {
            self.parts[site.array.0 as usize] = Part::All;
            return;
        }
        let total = copies.total(len);
        if total > SPAN || !sites.budget().take(lanes_of(&site.extents)) {
            return;
        }
        let part = &mut self.parts[site.array.0 as usize];
        let Part::Some(bits) = part else { return };
        bits.resize(bits.len().max(total as usize), false);
        for (lane, e) in site.among(index) {
            if let Some(bit) = bits.get_mut((copies.start(lane) + e) as usize).filter(|_| e < len) {
                *bit = true;
            }
        }
        if bits.iter().all(|&b| b) {
            *part = Part::All;
        }
    }

    /// Whether what site `at` of a phase reads has been written: before the phase, or in it by the same instance.
    pub(super) fn read(&self, phase: &[Site], at: usize, sites: &mut Sites<'_>) -> Verdict {
        let site = &phase[at];
        let (Some(len), false) = (self.shared(site), lanes_of(&site.extents) == 0) else { return Verdict::Proved };
        let Part::Some(bits) = &self.parts[site.array.0 as usize] else { return Verdict::Proved };
        let unproved = |why: &str| Verdict::Unproved(why.to_string());
        let Some(index) = site.index.as_ref().and_then(|i| i.as_known()) else {
            let total = Copies::of(self.p, site).total(len);
            let places = (0..len).cycle().take(total as usize);
            let open = bits.iter().zip(places).find(|&(&written, _)| !written);
            if let Some((_, e)) = open
                && self.claim(site.array) == Claim::MustProve
            {
                let needed = "it may be read: that index is not known while compiling".to_string();
                return Verdict::Doubtful(Fault::Missing { element: e.to_string(), needed });
            }
            return unproved("which element is read is not known while compiling");
        };
        if !sites.budget().take(lanes_of(&site.extents)) {
            return unproved("there are too many elements to look at");
        }
        let copies = Copies::of(self.p, site);
        let missing = site.among(index).into_iter().find(|&(lane, e)| {
            let written = bits.get((copies.start(lane) + e) as usize).copied().unwrap_or(false);
            e < len && !written && !self.own(phase, at, lane, e)
        });
        match missing {
            None => Verdict::Proved,
            Some((_, e)) if site.guard.sure != Sure::Always => {
                unproved(&format!("element {e} may not have been written"))
            }
            Some((_, e)) if self.perhaps[site.array.0 as usize] && self.claim(site.array) == Claim::MustProve => {
                let needed =
                    "it is read, and may be written only where a condition holds that is not known".to_string();
                Verdict::Doubtful(Fault::Missing { element: e.to_string(), needed })
            }
            Some((_, e)) => {
                Verdict::Refuted(Fault::Missing { element: e.to_string(), needed: "and it is read".to_string() })
            }
        }
    }

    /// Whether the instance of a lane has written the element earlier in the phase.
    fn own(&self, phase: &[Site], at: usize, lane: u64, e: u32) -> bool {
        let reader = &phase[at];
        let party = |site: &Site, lane: u64| match site.team {
            Team::Threads(dims) => Some(lane / lanes_of(&site.extents[dims..]).max(1)),
            _ => None,
        };
        // The write stands before the read: it is done before it in the same rounds of the loops around both, and in earlier
        // ones.
        let earlier = |site: &Site, l: u64| {
            let both = site.counters.iter().zip(&reader.counters).take_while(|(a, b)| a == b).count();
            let round = |site: &Site, lane: u64| lane / lanes_of(&site.extents[both..]).max(1);
            round(site, l) <= round(reader, lane)
        };
        let before = phase[..at]
            .iter()
            .filter(|s| s.array == reader.array && s.kind == Kind::Write && s.guard.sure == Sure::Always);
        let by = party(reader, lane);
        let done = |site: &Site, l: u64| party(site, l) == by && earlier(site, l);
        by.is_some()
            && before
                .filter_map(|s| Some((s, s.index.as_ref()?.as_known()?)))
                .any(|(s, index)| s.among(index).into_iter().any(|(l, other)| other == e && done(s, l)))
    }
}

/// The strongest demand among the writes of each array.
fn demands(list: &Block, claims: &mut [Option<Claim>]) {
    for stmt in list {
        if let Some(array) = walk::written(&stmt.kind) {
            let claim = &mut claims[array.0 as usize];
            *claim = (*claim).max(Some(stmt.claim));
        }
        walk::nested(&stmt.kind).for_each(|inner| demands(inner, claims));
    }
}
