//! What becomes of an access without a proof: the launch is asked for what the proof lacks (R12), or the access gets a guard, or the
//! program is refused.

use super::prove::ScopeId;
use super::require::{Asked, Condition, Required};
use super::tried::{Place, Stray, Tried};
use super::{Access, Check, report};
use crate::diag::Diagnostic;
use crate::program::{ArrayId, Coordinate, ExprId, Program, Side};

/// Whether an access may have a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// It has one where the launch cannot be asked.
    Given,
    /// Only where nothing shows that it strays: it is made of positions and lengths alone.
    Open,
    No,
}

/// Whether an access is in range, or the row or the column of one in a matrix: whether `index < len`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    pub(super) access: Access,
    pub(super) array: ArrayId,
    pub(super) index: ExprId,
    pub(super) len: ExprId,
    /// Along which side of a matrix, if only along one.
    pub(super) along: Option<Along>,
}

/// A side of a matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Along {
    pub(super) side: Side,
    /// How long the other side is.
    pub(super) other: ExprId,
}

impl Question {
    /// Whether an index is in its array.
    pub(super) fn whole(p: &Program, access: Access, array: ArrayId, index: ExprId) -> Question {
        Question { access, array, index, len: access.len(p, array), along: None }
    }
}

/// An access without a proof.
#[derive(Debug)]
pub(super) struct Doubt {
    pub(super) question: Question,
    pub(super) guard: Guard,
    /// What is said where nothing helps.
    pub(super) refusal: Box<Diagnostic>,
}

impl Check<'_> {
    /// Asks the launch for what the proof of an access lacks, or gives it a guard where it may not happen, for all that is known at
    /// the launch. Where neither will do it is refused, or waits for the other accesses that lack the same.
    pub(super) fn ask(&mut self, doubt: Doubt, s: ScopeId) {
        let Doubt { question: Question { index, len, .. }, guard, .. } = doubt;
        if guard == Guard::Given && (self.doubtful > 0 || self.is_doubtful(index)) {
            self.guard(doubt);
            return;
        }
        self.prover.budget.begin();
        // What has been asked for already may be enough.
        let asked = self.unproved.required.iter().flat_map(|r| r.forms_within(&self.extents)).cloned().collect();
        let inside = self.prover.with(s, asked);
        if inside != s && self.prover.less(inside, index, len) {
            self.leans = true;
            return;
        }
        if let Some(relation) = self.as_long_as_others(len, index, s) {
            self.wait(doubt, relation);
            return;
        }
        if let Some(found) = self.required(s, (index, len)) {
            let extents = self.extents.clone();
            let (forms, conditions) = self.least(found, (index, len), s);
            self.unproved.required.push(Required { forms, extents, conditions, refusal: doubt.refusal });
            self.leans = true;
            return;
        }
        if guard == Guard::Given {
            match self.always((index, len)) {
                Some(stray) => self.refuse(doubt, Tried::Strays(stray)),
                None => self.guard(doubt),
            }
            return;
        }
        match self.as_long(index, len, s) {
            Some(relation) => self.wait(doubt, relation),
            None => {
                let found = self.tried((index, len));
                self.refuse(doubt, found);
            }
        }
    }

    /// What an access asks of the launch. A place that has a row is asked by row and column first; one without may be in an array that is
    /// no matrix, of which less is asked.
    fn required(&mut self, s: ScopeId, place: (ExprId, ExprId)) -> Option<Asked> {
        if self.prover.has_row(s, place)
            && let Some(found) = self.in_a_matrix(s, place)
        {
            return Some(found);
        }
        self.prover.required(s, place, &self.extents).or_else(|| self.in_a_matrix(s, place))
    }

    /// By row and column. In vain, this takes no steps from the other questions.
    fn in_a_matrix(&mut self, s: ScopeId, place: (ExprId, ExprId)) -> Option<Asked> {
        let left = self.prover.budget;
        let found = self.prover.row_and_column(s, place, &self.extents);
        if found.is_none() {
            self.prover.budget = left;
        }
        found
    }

    /// What is asked of the launch in the end: less, where small launches show that it asks more than it needs (R19) and that no difference of
    /// lengths wraps is enough.
    fn least(&mut self, found: Asked, (index, len): (ExprId, ExprId), s: ScopeId) -> Asked {
        let place = Place { around: &self.around, index, len };
        let asked: Vec<&Condition> = self.unproved.required.iter().flat_map(|r| &r.conditions).collect();
        let p = self.prover.p;
        if found.1.iter().all(|condition| self.trials.needed(p, &[place], condition, &asked)) {
            return found;
        }
        self.prover.without_wrapping(s, (index, len), &self.extents).unwrap_or(found)
    }

    fn guard(&mut self, doubt: Doubt) {
        let Question { access, array, index, len, along } = doubt.question;
        match access {
            Access::Read(load) => {
                let tested = self.unproved.loads.entry(load).or_default();
                let coordinate = along.map(|along| Coordinate { side: along.side, at: index, len });
                // It may be open at several places.
                tested.extend(coordinate.filter(|coordinate| !tested.contains(coordinate)));
            }
            Access::Write | Access::Update => {
                self.unproved.updates.insert((array, index));
            }
        }
        self.unproved.first.get_or_insert(doubt.refusal);
    }

    /// Refuses an access, unless it never strays in small launches and may have a guard.
    pub(super) fn refuse(&mut self, doubt: Doubt, found: Tried) {
        match found {
            Tried::Inside if doubt.guard == Guard::Open => self.guard(doubt),
            Tried::Strays(stray) => self.tell(*report::with_example(self.prover.p, doubt, &stray)),
            Tried::Inside | Tried::Open => self.tell(*doubt.refusal),
        }
    }

    /// A mistake. What was given up for want of steps is one only where nothing was wrong before, which may have cost them.
    fn tell(&mut self, mistake: Diagnostic) {
        if self.refused.is_empty() || !self.prover.budget.given_up() {
            self.refused.push(mistake);
        }
    }

    /// R19. A launch in which an access strays, where no small launch that comes to it has it inside.
    fn always(&mut self, (index, len): (ExprId, ExprId)) -> Option<Stray> {
        let place = Place { around: &self.around, index, len };
        let asked: Vec<&Condition> = self.unproved.required.iter().flat_map(|r| &r.conditions).collect();
        self.trials.always(self.prover.p, place, &asked)
    }

    /// R19. What an access does in small launches.
    fn tried(&mut self, (index, len): (ExprId, ExprId)) -> Tried {
        let place = Place { around: &self.around, index, len };
        let asked: Vec<&Condition> = self.unproved.required.iter().flat_map(|r| &r.conditions).collect();
        self.trials.tried(self.prover.p, place, &asked)
    }
}
