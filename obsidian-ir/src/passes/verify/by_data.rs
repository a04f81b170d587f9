//! R24. Places that data has a part in: whether parties stay apart whatever data adds.

use super::counters::{DataLook, Term, added};
use super::phase::{Look, Parties};
use super::report::Verdict;
use crate::passes::access::{ByData, DataTerm, Kind, Site, Sites};
use crate::passes::index::{Sum, lanes_of};
use crate::program::{Program, VarId};
use crate::tables::HashSet;

/// Whether they do, in one of the ways to take their indices apart.
pub(super) fn apart(
    p: &Program,
    sites: &[Site],
    (of, own): (&[usize], &HashSet<VarId>),
    parties: Parties,
    budget: &mut Sites<'_>,
) -> bool {
    let ways = if of.iter().any(|&k| sites[k].by_data.len() > 1) { 2 } else { 1 };
    (0..ways).any(|way| {
        let taken = |site: &Site| {
            let by_data = site.by_data.get(way).or(site.by_data.first()).cloned();
            Site { by_data: by_data.into_iter().collect(), ..site.clone() }
        };
        let sites: Vec<Site> = of.iter().map(|&k| taken(&sites[k])).collect();
        apart_so(p, &sites, own, parties, budget)
    })
}

/// Whether they do: in the low bits that data leaves alone, for each of the few values that it may have, or because what it reads lies in
/// an interval in which nobody writes.
fn apart_so(p: &Program, sites: &[Site], own: &HashSet<VarId>, parties: Parties, budget: &mut Sites<'_>) -> bool {
    let Some(known) = known(sites, budget) else { return false };
    let of: Vec<usize> = (0..known.len()).collect();
    let mut proved = |mut look: Look<'_>, of: &[usize]| look.all(of, own, budget).0 == Verdict::Proved;
    let plain = || Look::new(p, &known, parties);
    if [DataLook::LowBits, DataLook::Values].into_iter().any(|look| proved(plain().with_data(look), &of)) {
        return true;
    }
    let (by_data, others): (Vec<usize>, Vec<usize>) = of.iter().partition(|&&k| !known[k].by_data.is_empty());
    let only_read = by_data.iter().all(|&k| known[k].kind == Kind::Read);
    only_read && proved(plain(), &others) && read_elsewhere(&known, (&by_data, &others), own, budget)
}

/// The sites with what is known of their indices, and the rest as data; `None` where there is none. A number that not all share is data, too.
fn known(sites: &[Site], finder: &Sites<'_>) -> Option<Vec<Site>> {
    let all: Vec<&Sum> = sites.iter().map(Site::known).collect::<Option<_>>()?;
    let is_shared = |term: &Term| all.iter().all(|index| index.terms.contains(term));
    let one = |(site, index): (&Site, &&Sum)| {
        let mut data = site.by_data.first().map_or(Vec::new(), |by_data| by_data.terms.clone());
        let (shared, own): (Vec<Term>, Vec<Term>) = index.terms.iter().cloned().partition(is_shared);
        for (symbols, coefficient) in own {
            let ([symbol], Some(coefficient)) = (&*symbols, coefficient.as_uniform()) else { return None };
            data.push(DataTerm { coefficient, range: finder.range_at(*symbol, site.guard.sure) });
        }
        let known = Sum { terms: shared, ..(*index).clone() };
        let by_data = if data.is_empty() { Vec::new() } else { vec![ByData { known: known.clone(), terms: data }] };
        Some(Site { index: Some(known), by_data, ..site.clone() })
    };
    let known: Vec<Site> = sites.iter().zip(&all).map(one).collect::<Option<_>>()?;
    known.iter().any(|site| !site.by_data.is_empty()).then_some(known)
}

/// Whether what is read by data lies in intervals in which nobody writes: another part of the array, such as the other half of a double
/// buffer. Places in copies of one array are compared as if there were one copy.
fn read_elsewhere(
    known: &[Site],
    (by_data, others): (&[usize], &[usize]),
    own: &HashSet<VarId>,
    budget: &mut Sites<'_>,
) -> bool {
    let writes: Vec<usize> = others.iter().copied().filter(|&k| known[k].kind != Kind::Read).collect();
    let all: Vec<usize> = by_data.iter().chain(&writes).copied().collect();
    let indices: Vec<_> = all.iter().filter_map(|&k| known[k].index.as_ref()).collect();
    // What all share is the same, and nobody's own counter adds to it.
    let same = added(&indices, own, budget).is_some_and(|a| a.mask == u32::MAX && a.offsets.iter().all(|o| *o == [0]));
    let lanes = all.iter().map(|&k| lanes_of(&known[k].extents)).fold(0, u64::saturating_add);
    if !same || !budget.budget().take(lanes) {
        return false;
    }
    let Some((_, origin)) = all.iter().find_map(|&k| known[k].elements().first().copied()) else { return true };
    let signed = |e: u32| i128::from(e.wrapping_sub(origin) as i32);
    let written: Vec<i128> = writes.iter().flat_map(|&k| known[k].elements()).map(|(_, e)| signed(e)).collect();
    by_data.iter().all(|&k| {
        let places = known[k].elements().into_iter().map(|(_, e)| signed(e));
        let Some((low, high)) =
            places.fold(None, |ends, e| Some(ends.map_or((e, e), |(l, h): (i128, i128)| (l.min(e), h.max(e)))))
        else {
            return true;
        };
        let terms = known[k].by_data.first().map_or(&[][..], |by_data| &by_data.terms);
        let (less, more) = terms.iter().map(reach).fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
        let interval = low + less..=high + more;
        // Within these, two places are one if they are one modulo 2^32.
        let exact = *interval.start() >= i32::MIN.into() && *interval.end() <= i32::MAX.into();
        exact && written.iter().all(|e| !interval.contains(e))
    })
}

/// The least and the most that a term adds.
pub(super) fn reach(term: &DataTerm) -> (i128, i128) {
    let by = i128::from(term.coefficient as i32);
    let (a, b) = (by * term.range.lo, by * term.range.hi);
    (a.min(b), a.max(b))
}
