//! Which of the known inequalities can matter to a question. Those of another output would only use up the steps of a search.

use std::rc::Rc;

use super::{Prover, ScopeId};
use crate::passes::index::{Mono, Poly};
use crate::passes::walk;
use crate::program::{Expr, ExprId};
use crate::tables::HashSet;

impl Prover<'_> {
    /// The scope's facts that hang together with `form`, in their order. Two facts hang together where both read the same
    /// length, argument, variable or element.
    pub(super) fn relevant(&mut self, s: ScopeId, form: &Poly) -> Vec<Poly> {
        let facts = self.scopes[s].facts.clone();
        let reads: Vec<Vec<ExprId>> = facts.iter().map(|f| self.read_by(f)).collect();
        let mut reached: HashSet<ExprId> = self.read_by(form).into_iter().collect();
        // A fact that reads nothing is a contradiction: it matters to every question.
        let mut taken: Vec<bool> = reads.iter().map(Vec::is_empty).collect();
        loop {
            let reachable = |k: &usize| !taken[*k] && reads[*k].iter().any(|e| reached.contains(e));
            let next: Vec<usize> = (0..facts.len()).filter(reachable).collect();
            if next.is_empty() {
                break;
            }
            for k in next {
                taken[k] = true;
                reached.extend(&reads[k]);
            }
        }
        facts.iter().zip(taken).filter(|(_, taken)| *taken).map(|(f, _)| f.clone()).collect()
    }

    /// What the atoms of a form read: lengths, arguments, variables, elements.
    fn read_by(&mut self, form: &Poly) -> Vec<ExprId> {
        form.monos().flat_map(|m| self.read_by_atom(m).to_vec()).collect()
    }

    fn read_by_atom(&mut self, m: Mono) -> Rc<[ExprId]> {
        if let Some(known) = self.reads.get(&m) {
            return known.clone();
        }
        let mut exprs = Vec::new();
        self.polys.exprs(m, &mut exprs);
        let leaf = |e: &ExprId| {
            matches!(
                self.p.exprs.expr(*e),
                Expr::Var(_) | Expr::Len(_) | Expr::Scalar(_) | Expr::Special(_) | Expr::Load(..)
            )
        };
        let found: Rc<[ExprId]> = walk::reachable(&self.p.exprs, exprs, |_| false).into_iter().filter(leaf).collect();
        self.reads.insert(m, found.clone());
        found
    }
}
