//! Counters of loops that parties run out of step: blocks never wait for one another, nor do the warps of a block.
//! Where two of them are compared, such a counter has a value of its own for each, even if the number of rounds is known.
//!
//! Takes the indices of the sites that are compared; gives what the parties share, and what their own counters may add.

use std::rc::Rc;

use crate::passes::access::{DataTerm, Sites};
use crate::passes::index::{Sum, Table};
use crate::passes::walk;
use crate::program::{ExprId, Program, Range, StmtKind, VarId};
use crate::tables::HashSet;

/// Values of own counters that are looked at one by one, at most, for one site.
const MAX_OFFSETS: usize = 256;

/// The counters of the sequential loops in a list, each of which a party has for itself.
pub(super) fn counters_in(list: &[crate::program::Stmt]) -> HashSet<VarId> {
    let mut found = HashSet::default();
    let mut todo: Vec<&crate::program::Stmt> = list.iter().collect();
    while let Some(stmt) = todo.pop() {
        if let StmtKind::SeqFor { var, .. } = stmt.kind {
            found.insert(var);
        }
        todo.extend(walk::nested(&stmt.kind).flatten());
    }
    found
}

/// A term of an index: a product of symbols, and its coefficient.
pub(super) type Term = (Rc<[ExprId]>, Table);

/// The terms of an index that all parties share, and those that ask for a counter of their own.
pub(super) fn split<'i>(index: &'i Sum, own: &HashSet<VarId>, sites: &Sites<'_>) -> (Vec<&'i Term>, Vec<&'i Term>) {
    index.terms.iter().partition(|(symbols, _)| !sites.depends(symbols, own))
}

/// How what data adds is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataLook {
    /// The low bits that it leaves alone.
    LowBits,
    /// Every value that it may have.
    Values,
}

/// What own counters may add to the indices of some sites.
pub(super) struct Added {
    /// Of each site: every number that they may add. `[0]` where they add nothing.
    pub(super) offsets: Vec<Vec<u32>>,
    /// The bits in which indices are compared: above them anything may be added.
    pub(super) mask: u32,
}

impl Added {
    /// Whether own counters have a say in a site's index: then two rounds that meet need not happen.
    pub(super) fn concerns(&self, site: usize) -> bool {
        self.mask != u32::MAX || self.offsets[site].len() > 1
    }

    /// One of `values` more may be added to a site's index; a multiple of `2^zeros` where they are too many.
    fn gain(&mut self, site: usize, values: Option<Vec<u32>>, zeros: u32) {
        let sums = &mut self.offsets[site];
        match values {
            Some(values) if sums.len() * values.len() <= MAX_OFFSETS => {
                *sums = sums.iter().flat_map(|&s| values.iter().map(move |&d| s.wrapping_add(d))).collect();
                sums.sort_unstable();
                sums.dedup();
            }
            _ => self.mask &= 1u32.checked_shl(zeros).map_or(u32::MAX, |n| n - 1),
        }
    }

    /// What data may add to a site's index, looked at in this way.
    pub(super) fn gain_data(&mut self, site: usize, terms: &[DataTerm], look: DataLook) {
        for &DataTerm { coefficient, range } in terms {
            let values = (look == DataLook::Values).then(|| multiples(range, coefficient)).flatten();
            self.gain(site, values, coefficient.trailing_zeros());
        }
    }

    /// Numbers to compare for each lane of a site.
    pub(super) fn each(&self, site: usize) -> u64 {
        self.offsets[site].len() as u64
    }
}

/// What own counters may add to each of `indices`; `None` where the indices differ in what all parties share.
pub(super) fn added(indices: &[&Sum], own: &HashSet<VarId>, sites: &Sites<'_>) -> Option<Added> {
    let mut added = Added { offsets: Vec::with_capacity(indices.len()), mask: u32::MAX };
    let mut shared: Option<Vec<&Term>> = None;
    for index in indices {
        let (common, counted) = split(index, own, sites);
        let uniform = common.iter().all(|(_, c)| c.as_uniform().is_some());
        if !uniform || shared.as_ref().is_some_and(|s| *s != common) {
            return None;
        }
        shared = Some(common);
        added.offsets.push(vec![0]);
        for (symbols, coefficient) in counted {
            let site = added.offsets.len() - 1;
            added.gain(site, steps(sites.program(), symbols, coefficient), coefficient.trailing_zeros());
        }
    }
    Some(added)
}

/// The values of a term whose symbol has few.
fn steps(p: &Program, symbols: &[ExprId], coefficient: &Table) -> Option<Vec<u32>> {
    let ([symbol], Some(c)) = (symbols, coefficient.as_uniform()) else { return None };
    multiples(p.exprs.range(*symbol), c)
}

/// The multiples of what lies in a range, if there are few.
fn multiples(Range { lo, hi }: Range, by: u32) -> Option<Vec<u32>> {
    let few = lo >= 0 && hi - lo < MAX_OFFSETS as i128;
    few.then(|| (lo as u32..=hi as u32).map(|v| v.wrapping_mul(by)).collect())
}

/// What a term lies in, as an integer; `None` where that is not known.
pub(super) fn range(p: &Program, (symbols, coefficient): &Term) -> Option<(i128, i128)> {
    let c = i128::from(coefficient.as_uniform()? as i32);
    let mut product = (1i128, 1i128);
    for &symbol in symbols.iter() {
        let Range { lo, hi } = p.exprs.range(symbol);
        if lo < 0 {
            return None;
        }
        product = (product.0.checked_mul(lo)?, product.1.checked_mul(hi)?);
    }
    let ends = (product.0.checked_mul(c)?, product.1.checked_mul(c)?);
    Some((ends.0.min(ends.1), ends.0.max(ends.1)))
}
