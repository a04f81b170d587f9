//! R29. What one thread does alone: `if i == k { .. }`, where `i` is the thread's number and `k` the same for all.
//!
//! *Why:* at most one `i` is equal to `k`, so everything under that condition is done by one thread, in the order in which it stands there;
//! it cannot meet itself.

use super::phase::Parties;
use crate::passes::access::{Condition, Site, Sites, Team};
use crate::program::{BinOp, Expr, ExprId, VarId};
use crate::tables::HashSet;

/// Whether all of some sites are done by one thread of those that a `forall` has.
pub(super) fn is_by_one(sites: &[Site], of: &[usize], parties: Parties, finder: &mut Sites<'_>) -> bool {
    if parties != Parties::Instances {
        return false;
    }
    let mut candidates: Option<Vec<ExprId>> = None;
    for &k in of {
        let site = &sites[k];
        let ([thread, ..], Team::Threads(1)) = (&site.counters[..], site.team) else { return false };
        let Some(conditions) = finder.conditions(site.guard.sure) else { return false };
        let mine: Vec<ExprId> =
            conditions.into_iter().filter_map(|cond| choice_of_one(cond, *thread, site, finder)).collect();
        candidates = Some(match candidates {
            None => mine,
            Some(all) => all.into_iter().filter(|cond| mine.contains(cond)).collect(),
        });
    }
    candidates.is_some_and(|all| !all.is_empty())
}

/// The condition, where it holds for one thread at most.
fn choice_of_one((cond, truth): Condition, thread: VarId, site: &Site, finder: &mut Sites<'_>) -> Option<ExprId> {
    let exprs = &finder.program().exprs;
    let Expr::Bin(BinOp::Eq, a, b) = exprs.expr(cond) else { return None };
    let other = match (exprs.expr(a), exprs.expr(b)) {
        (Expr::Var(var), _) if var == thread => b,
        (_, Expr::Var(var)) if var == thread => a,
        _ => return None,
    };
    // It is the same for all threads if neither their number nor a loop of theirs has a part in it, nor what changes.
    let own: HashSet<VarId> = site.counters.iter().copied().collect();
    let shared =
        truth && !finder.depends(&[other], &own) && finder.value(other).is_some_and(|value| value.is_uniform());
    shared.then_some(cond)
}
