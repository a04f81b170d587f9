//! What becomes of an access without a proof: the launch is asked for what the proof lacks (R12), or the access gets a guard, or the
//! program is refused.

use super::prove::ScopeId;
use super::require::{Condition, Required};
use super::tried::{Place, Tried};
use super::{Check, report};
use crate::diag::{self, Diagnostic};
use crate::program::{ArrayId, ExprId};

/// Whether an access may have a guard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// It has one where the launch cannot be asked.
    Given,
    /// Only where nothing shows that it strays: it is made of positions and lengths alone.
    Open,
    No,
}

impl Check<'_> {
    /// Asks the launch for what the proof of an access lacks; gives the refusal back where a guard is to test
    /// the access. That is so where it may not happen, for all that is known at the launch.
    pub(super) fn ask(
        &mut self,
        refusal: Box<Diagnostic>,
        guard: Guard,
        (array, index): (ArrayId, ExprId),
        s: ScopeId,
    ) -> diag::Result<Option<Box<Diagnostic>>> {
        if guard == Guard::Given && (self.doubtful > 0 || self.is_doubtful(index)) {
            return Ok(Some(refusal));
        }
        let len = self.prover.p.array(array).len;
        self.prover.budget.begin();
        // What has been asked for already may be enough.
        let asked = self.unproved.required.iter().flat_map(|r| r.forms_within(&self.extents)).cloned().collect();
        let inside = self.prover.with(s, asked);
        if inside != s && self.prover.less(inside, index, len) {
            return Ok(None);
        }
        let required = self.prover.required(s, (index, len), &self.extents);
        let required = required.map(|(forms, conditions)| Required {
            forms,
            extents: self.extents.clone(),
            conditions,
            refusal: refusal.clone(),
        });
        match (required, guard) {
            (Some(required), _) => {
                self.unproved.required.push(required);
                Ok(None)
            }
            (None, Guard::Given) => Ok(Some(refusal)),
            (None, Guard::Open | Guard::No) => match self.tried((index, len)) {
                Tried::Inside if guard == Guard::Open => Ok(Some(refusal)),
                Tried::Strays(stray) => Err(report::with_example(self.prover.p, *refusal, &stray)),
                Tried::Inside | Tried::Open => Err(refusal),
            },
        }
    }

    /// R19. What an access does in small launches.
    fn tried(&mut self, (index, len): (ExprId, ExprId)) -> Tried {
        let place = Place { around: &self.around, index, len };
        let asked: Vec<&Condition> = self.unproved.required.iter().flat_map(|r| &r.conditions).collect();
        self.trials.tried(self.prover.p, place, &asked)
    }
}
