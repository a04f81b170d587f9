//! R35. Cuts: values of the launch that part the accesses to an array, so that each index is below the cut wherever it is used, or each time
//! at least the cut. Of `xs[i] += xs[i + n]` with `i < n` that is `n`, of `xs[i]` and `xs[len - 1 - i]` with `i < len / 2` it is `len / 2`.

use std::ops::ControlFlow;

use super::accesses::{each_access, indices_of};
use super::prove::{Prover, ScopeId};
use crate::passes::walk::{self, reachable};
use crate::program::{ArrayId, ExprId, Program, ScalarType, StmtKind};
use crate::tables::{HashMap, HashSet};

/// The most values that are tried.
const MAX_CUTS: usize = 16;

/// The accesses on the two sides of a cut, by their indices.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Those that are at least the cut; all others are below it.
    pub(crate) above: HashSet<ExprId>,
}

/// The ways in which an array can be cut, so that there are accesses on both sides.
pub(crate) fn cuts(program: &Program, array: ArrayId) -> Vec<Parts> {
    let indices = indices_of(program, array);
    let cuts = candidates(program, &indices).into_iter().map(|at| Cut { at, sides: HashMap::default() });
    let mut cuts: Vec<Cut> = cuts.filter(|_| indices.len() > 1).collect();
    if cuts.is_empty() {
        return Vec::new();
    }
    let parted = each_access(program, array, |prover, index, scope| {
        cuts.retain_mut(|cut| cut.parts(prover, index, scope));
        if cuts.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if parted.is_break() {
        return Vec::new();
    }
    // Each index has a side, if it was come by at all.
    let whole = cuts.into_iter().filter(|cut| cut.sides.len() == indices.len());
    let parts = whole.map(|cut| cut.sides.into_iter().filter(|(_, side)| *side == Side::Above).map(|(at, _)| at));
    let parts = parts.map(|above| Parts { above: above.collect() });
    parts.filter(|parts| !parts.above.is_empty() && parts.above.len() < indices.len()).collect()
}

/// Values of the launch that indices and numbers of rounds are made of, and no constants.
fn candidates(program: &Program, indices: &[ExprId]) -> Vec<ExprId> {
    let exprs = &program.exprs;
    let mut roots = indices.to_vec();
    walk::each(&program.body, &mut |stmt| match stmt.kind {
        StmtKind::ForAll { n, .. } | StmtKind::DistrPar { n, .. } => roots.push(n),
        StmtKind::SeqFor { end, .. } => roots.push(end),
        _ => {}
    });
    let mut found = Vec::new();
    for root in roots {
        for e in reachable(exprs, [root], |_| false) {
            let may = exprs.ty(e) == ScalarType::U32 && exprs.as_const(e).is_none() && exprs.known_at_launch(e);
            if may && !found.contains(&e) && found.len() < MAX_CUTS {
                found.push(e);
            }
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

struct Cut {
    at: ExprId,
    sides: HashMap<ExprId, Side>,
}

impl Cut {
    /// Whether an access is on one side for certain, and its index is so wherever it is used.
    fn parts(&mut self, prover: &mut Prover<'_>, index: ExprId, scope: ScopeId) -> bool {
        let at = self.at;
        let mut is_on = |side| {
            prover.budget.begin();
            match side {
                Side::Below => prover.less(scope, index, at),
                Side::Above => {
                    let [index, at] = [index, at].map(|e| prover.form(scope, e));
                    index.combine(1, &at, -1).is_some_and(|left| prover.certain(scope, &left))
                }
            }
        };
        if let Some(&side) = self.sides.get(&index) {
            return is_on(side);
        }
        let side = [Side::Below, Side::Above].into_iter().find(|&side| is_on(side));
        self.sides.extend(side.map(|side| (index, side)));
        side.is_some()
    }
}
