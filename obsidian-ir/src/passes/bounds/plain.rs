//! Loads that are proved without the conditions of the `Select`s around them, which most are: what those conditions tell
//! is then never asked for.

use super::Check;
use super::prove::ScopeId;
use crate::passes::walk::{operands, reachable};
use crate::program::{Expr, ExprId};
use crate::tables::HashSet;

impl Check<'_> {
    /// Marks as done what of `e` is proved by what the scope of its statement knows; the rest is as it was.
    pub(super) fn prove_plainly(&mut self, e: ExprId, scope: ScopeId) {
        let exprs = &self.prover.p.exprs;
        if !exprs.loads(e) {
            return;
        }
        let all = reachable(exprs, [e], |e| !exprs.loads(e) || self.is_done(e, scope));
        // Without a choice there are no conditions either.
        if !all.iter().any(|&e| matches!(exprs.expr(e), Expr::Select(..))) {
            return;
        }
        let mut open: HashSet<ExprId> = HashSet::default();
        for id in all {
            let expr = self.prover.p.exprs.expr(id);
            let proved = !operands(expr).any(|x| open.contains(&x)) && self.is_plain(id, scope);
            if proved {
                self.done.insert((id, scope), Vec::new());
            } else {
                open.insert(id);
            }
        }
    }

    fn is_plain(&mut self, id: ExprId, scope: ScopeId) -> bool {
        let Expr::Load(array, index) = self.prover.p.exprs.expr(id) else { return true };
        self.questions(id, array, index).into_iter().all(|question| {
            self.prover.budget.begin();
            self.prover.plainly_less(scope, question.index, question.len)
        })
    }
}
