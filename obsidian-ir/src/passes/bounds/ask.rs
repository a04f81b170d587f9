//! What becomes of an access without a proof: the launch is asked for what the proof lacks (R12), or the access gets a guard, or the
//! program is refused.

use super::prove::ScopeId;
use super::require::{Asked, Condition, Required};
use super::tried::{Kept, Place, Stray, Tried};
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

/// What the launch is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The length of an array, or of a side of a matrix.
    Length,
    /// Both sides of a matrix, whose place in the whole is computed by the author: it is meant as a row and a column.
    Sides,
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
        let access = Kept::new(&self.around, index, len);
        self.doubts.push(access.clone());
        if guard == Guard::Given && (self.doubtful > 0 || self.is_doubtful(index)) {
            self.guard(doubt);
            return;
        }
        self.prover.budget.begin();
        // What has been asked for already may be enough.
        let inside = self.as_asked(s);
        if inside != s && (self.prover.less(inside, index, len) || self.less_told_again(inside, (index, len))) {
            self.leans = true;
            return;
        }
        if let Some(relation) = self.as_long_as_others(len, index, s) {
            self.wait(doubt, relation);
            return;
        }
        let mut guarded = guard == Guard::Given;
        if let Some((found, of)) = self.required(s, (index, len), doubt.question.along) {
            let extents = self.extents.clone();
            let (forms, conditions) = self.least(found, (index, len), s);
            let guardable = (guard != Guard::No && of == Of::Length).then_some(len);
            if guardable.is_none() || !conditions.iter().any(|c| self.excessive.iter().any(|other| other.is_like(c))) {
                // No launch would keep what is asked and come to the access.
                if let Some(stray) = self.always((index, len))
                    && !self.is_inside_of_long(&access)
                {
                    self.tell(*report::with_example(self.prover.p, doubt, &stray));
                    return;
                }
                self.unproved.required.push(Required { forms, extents, conditions, refusal: doubt.refusal, guardable });
                self.leans = true;
                return;
            }
            guarded = true;
        }
        if guarded {
            match self.always((index, len)) {
                Some(stray) if !self.is_inside_of_long(&access) => {
                    self.tell(*report::with_example(self.prover.p, doubt, &stray));
                }
                _ => self.guard(doubt),
            }
            return;
        }
        match self.as_long(index, len, s) {
            Some(relation) => self.wait(doubt, relation),
            None => {
                let found = self.tried((index, len));
                self.refuse(doubt, &access, found);
            }
        }
    }

    /// A scope with what the launch has been asked for.
    fn as_asked(&mut self, s: ScopeId) -> ScopeId {
        let asked = self.unproved.required.iter().flat_map(|r| r.forms_within(&self.extents)).cloned().collect();
        self.prover.with(s, asked)
    }

    /// Whether the answer is yes with little work, by what is known here, or by what the launch has been asked for: accesses beside
    /// others that lack the same take few steps.
    pub(super) fn is_below_as_asked(&mut self, question: Question, s: ScopeId) -> bool {
        let Question { index, len, .. } = question;
        self.prover.budget.begin();
        let inside = self.as_asked(s);
        if inside == s {
            return false;
        }
        let below = self.prover.nearly_less(inside, index, len) || {
            self.prover.budget.begin();
            let told = self.told_again(inside, index);
            told != inside && self.prover.nearly_less(told, index, len)
        };
        self.leans |= below;
        below
    }

    /// Whether `index < len` where the conditions around say what they say in this scope: sums in them that may wrap elsewhere may not
    /// in it.
    fn less_told_again(&mut self, inside: ScopeId, (index, len): (ExprId, ExprId)) -> bool {
        self.prover.budget.begin();
        let told = self.told_again(inside, index);
        told != inside && self.prover.less(told, index, len)
    }

    /// What an access asks of the launch. A place that has a row is asked by row and column first; one without may be in an array that is
    /// no matrix, of which less is asked.
    fn required(&mut self, s: ScopeId, place: (ExprId, ExprId), along: Option<Along>) -> Option<(Asked, Of)> {
        if along.is_some()
            && let Some(found) = self.prover.required_of_side(s, place, &self.extents)
        {
            return Some((found, Of::Length));
        }
        if self.prover.has_row(s, place)
            && let Some(found) = self.in_a_matrix(s, place)
        {
            return Some((found, Of::Sides));
        }
        let whole = self.prover.required(s, place, &self.extents).map(|found| (found, Of::Length));
        whole.or_else(|| Some((self.in_a_matrix(s, place)?, Of::Sides)))
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

    /// R19. Conditions that ask more than is needed, though the accesses that lack them may have a guard: a small launch breaks one, keeps all
    /// others, and nothing strays in it.
    pub(super) fn asked_in_vain(&mut self) -> Vec<Condition> {
        let required = &self.unproved.required;
        let mut all: Vec<&Condition> = Vec::new();
        required.iter().flat_map(|r| &r.conditions).for_each(|c| {
            if !all.contains(&c) {
                all.push(c);
            }
        });
        let mut found = Vec::new();
        for condition in &all {
            let lens = required.iter().filter(|r| r.conditions.contains(condition)).map(|r| r.guardable);
            let Some(lens) = lens.collect::<Option<Vec<ExprId>>>() else { continue };
            let of_array = self.doubts.iter().filter(|access| lens.contains(&access.len()));
            let places: Vec<Place<'_>> = of_array.map(Kept::place).collect();
            let rest: Vec<&Condition> = all.iter().copied().filter(|c| !c.is_like(condition)).collect();
            if self.trials.in_vain(self.prover.p, &places, condition, &rest) {
                found.push((*condition).clone());
            }
        }
        found
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

    /// Refuses an access, unless it may have a guard and never strays in small launches, or not where its array is long.
    pub(super) fn refuse(&mut self, doubt: Doubt, access: &Kept, found: Tried) {
        let guardable = doubt.guard != Guard::No;
        match found {
            Tried::Inside if guardable => self.guard(doubt),
            Tried::Strays(_) if guardable && self.is_inside_of_long(access) => self.guard(doubt),
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

    /// R19. Whether an access strays only where its array is short.
    fn is_inside_of_long(&mut self, access: &Kept) -> bool {
        let asked: Vec<&Condition> = self.unproved.required.iter().flat_map(|r| &r.conditions).collect();
        self.trials.is_inside_of_long(self.prover.p, access.place(), &asked)
    }

    /// R19. What an access does in small launches.
    fn tried(&mut self, (index, len): (ExprId, ExprId)) -> Tried {
        let place = Place { around: &self.around, index, len };
        let asked: Vec<&Condition> = self.unproved.required.iter().flat_map(|r| &r.conditions).collect();
        self.trials.tried(self.prover.p, place, &asked)
    }
}
