//! Whether the lanes of some sites touch the elements of an interval, each once.

use crate::passes::access::{Site, Sites, Sure};
use crate::passes::index::{Table, lanes_of};

/// Numbers that a table may span.
const SPAN: u32 = 1 << 20;

/// A lane of one of the sites: the site's number and the lane's.
pub(super) type At = (usize, u64);

/// What the lanes touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Covered {
    /// `first .. first + count`, modulo 2^32, each once.
    Once { first: u32, count: u32 },
    /// One element twice.
    Twice { element: u32, lanes: [At; 2] },
    /// From `first` up to an element that is left out, though later ones are not.
    Hole { first: u32, element: u32 },
    /// As `Once`, but one lane's element only where a condition holds that is not known.
    Perhaps { element: u32, lane: At },
    /// Two lanes may touch one element, though it is not sure that both do.
    Meet { element: u32, lanes: [At; 2] },
    /// It is not known.
    Unknown,
}

/// What the lanes of `sites` touch, where `numbers` are their elements.
pub(super) fn cover(sites: &[&Site], numbers: &[&Table], budget: &mut Sites<'_>) -> Covered {
    // R23. Of what happens perhaps it is not known how often either, nor of what stands in the test of a `while`.
    if sites.is_empty() || sites.iter().any(|s| s.open || matches!(s.guard.sure, Sure::Perhaps | Sure::Case(_))) {
        return Covered::Unknown;
    }
    let sure = sites.iter().all(|s| s.guard.sure == Sure::Always);
    if sure
        && let ([site], [Table::Affine { base, steps }]) = (sites, numbers)
        && site.guard.mask.as_uniform() == Some(1)
        && let Some(found) = closed(*base, steps, &site.extents)
    {
        return found;
    }
    table(sites, numbers, budget).unwrap_or(Covered::Unknown)
}

/// Loops that are digits of a mixed radix touch an interval.
fn closed(base: u32, steps: &[u32], extents: &[u32]) -> Option<Covered> {
    let (mut first, mut digits) = (base, Vec::new());
    for (&n, &step) in extents.iter().zip(steps) {
        if n == 0 {
            return None;
        }
        if n > 1 {
            let size = (step as i32).unsigned_abs();
            if (step as i32) < 0 {
                first = first.wrapping_add((n - 1).wrapping_mul(step));
            }
            digits.push((size, n));
        }
    }
    digits.sort_unstable();
    let mut count = 1u32;
    for (size, n) in digits {
        if size != count {
            return None;
        }
        count = count.checked_mul(n)?;
    }
    Some(Covered::Once { first, count })
}

fn table(sites: &[&Site], numbers: &[&Table], budget: &mut Sites<'_>) -> Option<Covered> {
    let mut all: Vec<(At, u32)> = Vec::new();
    for (k, (site, numbers)) in sites.iter().zip(numbers).enumerate() {
        if !budget.budget().take(lanes_of(&site.extents)) {
            return None;
        }
        all.extend(site.among(numbers).into_iter().map(|(lane, e)| ((k, lane), e)));
    }
    let origin = all.first()?.1;
    let signed = |e: u32| e.wrapping_sub(origin) as i32;
    let (mut low, mut high) = (0i32, 0i32);
    for &(_, e) in &all {
        low = low.min(signed(e));
        high = high.max(signed(e));
    }
    let span = high.abs_diff(low);
    if span >= SPAN {
        return None;
    }
    let mut meet = None;
    let mut owner: Vec<Option<At>> = vec![None; span as usize + 1];
    for &(at, e) in &all {
        let slot = &mut owner[signed(e).abs_diff(low) as usize];
        if let Some(other) = *slot {
            if !is_sure(sites, other) || !is_sure(sites, at) {
                meet.get_or_insert((e, [other, at]));
                if is_sure(sites, at) {
                    *slot = Some(at);
                }
                continue;
            }
            return Some(Covered::Twice { element: e, lanes: [other, at] });
        }
        *slot = Some(at);
    }
    let first = origin.wrapping_add(low as u32);
    if let Some(hole) = owner.iter().position(Option::is_none) {
        return Some(Covered::Hole { first, element: first.wrapping_add(hole as u32) });
    }
    if let Some((element, lanes)) = meet {
        return Some(Covered::Meet { element, lanes });
    }
    let unsure = owner.iter().enumerate().find_map(|(k, o)| o.filter(|&at| !is_sure(sites, at)).map(|at| (k, at)));
    Some(match unsure {
        Some((k, lane)) => Covered::Perhaps { element: first.wrapping_add(k as u32), lane },
        None => Covered::Once { first, count: span + 1 },
    })
}

fn is_sure(sites: &[&Site], (k, _): At) -> bool {
    sites[k].guard.sure == Sure::Always
}
