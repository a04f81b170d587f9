//! Finds the sites of a phase: its loads, assignments and atomic updates, with who does them and when.
//!
//! Takes the leaves of machine code (a `ForAll`, or a statement that all threads run) one by one, told of the loops
//! around them; gives the sites in program order. Arrays that nobody writes, and those of one thread, are left out.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::effects::{Effects, Loads};
use super::eval::{Budget, Eval};
use super::lanes::{DIMS, Lanes, bin, lanes_of};
use super::sum::Sum;
use crate::diag::Span;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Block, Claim, Expr, ExprId, Program, ScalarType, Space, Stmt, StmtKind, VarId};

/// How an element is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    Atomic,
}

/// Who does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Team {
    /// One instance for each lane of the first so many loops.
    Threads(usize),
    /// All threads at once.
    Everyone,
    /// Threads whose number is not known.
    Unknown,
}

/// Whether something happens at least once in the lanes of its mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sure {
    Always,
    /// Where this condition holds, which is not known while compiling.
    If(ExprId),
    Perhaps,
}

/// When it happens.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// In which lanes at most.
    pub(crate) mask: Lanes,
    pub(crate) sure: Sure,
}

/// A load, an assignment or an atomic update.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) array: ArrayId,
    pub(crate) kind: Kind,
    /// The index as it is written.
    pub(crate) at: ExprId,
    /// The element; `None` where it is not known while compiling.
    pub(crate) index: Option<Sum>,
    pub(crate) guard: Guard,
    /// Rounds of the loops around it.
    pub(crate) extents: Vec<u32>,
    pub(crate) team: Team,
    /// Which of the loops is the one over the block's warps.
    pub(crate) warp: Option<usize>,
    pub(crate) span: Span,
    /// Of a write: why it is safe.
    pub(crate) claim: Claim,
}

impl Site {
    /// The lanes in which it happens with the element that each touches, symbols apart; none where that is not known.
    pub(crate) fn elements(&self) -> Vec<(u64, u32)> {
        self.index.as_ref().map_or(Vec::new(), |index| self.among(&index.rest))
    }

    /// Of `numbers`, those of the lanes in which it happens.
    pub(crate) fn among(&self, numbers: &Lanes) -> Vec<(u64, u32)> {
        let depth = self.extents.len();
        let all = numbers.spread(&self.extents, depth);
        let lanes = (0u64..).zip(all.iter().copied());
        if self.guard.mask.as_uniform() == Some(1) {
            return lanes.collect();
        }
        let mask = self.guard.mask.spread(&self.extents, depth);
        lanes.filter(|&(lane, _)| mask[lane as usize] != 0).collect()
    }
}

/// What a guard has been narrowed to.
type GuardId = usize;

/// Guards of one leaf, at most.
const GUARDS: usize = 512;

/// The finder.
pub(crate) struct Sites<'p> {
    p: &'p Program,
    eval: Eval<'p>,
    tracked: Vec<bool>,
    loads: Loads,
    team: Team,
    warp: Option<usize>,
    guards: Vec<Guard>,
    /// The guard under another where a condition holds (1), does not (0), or (`None`) nothing is known.
    sides: HashMap<(GuardId, Option<(ExprId, u32)>), GuardId>,
    seen: HashSet<(ExprId, GuardId)>,
    found: Vec<Site>,
}

impl<'p> Sites<'p> {
    pub(crate) fn new(p: &'p Program, budget: Budget) -> Sites<'p> {
        let loads = Loads::new(&p.exprs);
        let effects = Effects::of_block(&p.body, &loads);
        let written: BTreeSet<ArrayId> = effects.writes.union(&effects.atomics).copied().collect();
        let tracked = (0..p.arrays.len() as u32).map(ArrayId).map(|a| match p.array(a).space {
            Space::Shared(_) => true,
            Space::Global(_) => written.contains(&a),
            Space::Local | Space::Lanes => false,
        });
        let tracked = tracked.collect();
        Sites {
            p,
            eval: Eval::new(p, budget),
            tracked,
            loads,
            team: Team::Everyone,
            warp: None,
            guards: Vec::new(),
            sides: HashMap::new(),
            seen: HashSet::new(),
            found: Vec::new(),
        }
    }

    /// Arrays that nobody writes are looked at too.
    pub(crate) fn with_inputs(mut self) -> Sites<'p> {
        for (tracked, array) in self.tracked.iter_mut().zip(&self.p.arrays) {
            *tracked |= matches!(array.space, Space::Global(_));
        }
        self
    }

    /// The program that is looked at.
    pub(crate) fn program(&self) -> &'p Program {
        self.p
    }

    /// A loop around the next leaves whose index is one unknown number.
    pub(crate) fn symbol(&mut self, var: VarId) {
        self.eval.bind_symbol(var);
    }

    /// Nothing is known of a variable in the next leaves.
    pub(crate) fn unknown(&mut self, var: VarId) {
        self.eval.bind_unknown(var);
    }

    /// A name for a value in the next leaves.
    pub(crate) fn name(&mut self, var: VarId, value: ExprId) {
        self.eval.bind_value(var, value);
    }

    /// Enters a loop around the next leaves whose rounds are lanes. `None`: their number is not known.
    pub(crate) fn enter(&mut self, var: VarId, start: ExprId, end: ExprId, step: ExprId) -> Option<u32> {
        let [start, end, step] = [start, end, step].map(|e| self.p.exprs.as_u32(e));
        let (start, step) = (start?, step.filter(|&s| s > 0)?);
        let n = end?.saturating_sub(start).div_ceil(step);
        self.eval.enter(var, n, start, step);
        Some(n)
    }

    /// Enters the loop over the block's warps.
    pub(crate) fn enter_warps(&mut self, var: VarId, n: ExprId) -> Option<u32> {
        let n = self.enter_all(var, n)?;
        self.warp = Some(self.eval.extents.len() - 1);
        Some(n)
    }

    /// Enters a loop of `n` instances.
    pub(crate) fn enter_all(&mut self, var: VarId, n: ExprId) -> Option<u32> {
        let n = self.p.exprs.as_u32(n)?;
        self.eval.enter(var, n, 0, 1);
        Some(n)
    }

    /// Leaves the loop entered last.
    pub(crate) fn leave(&mut self) {
        self.eval.leave();
        self.warp = self.warp.filter(|&dim| dim < self.eval.extents.len());
    }

    /// The work that is left.
    pub(crate) fn budget(&mut self) -> &mut Budget {
        &mut self.eval.budget
    }

    /// The expression that reads a variable, if there is one.
    pub(crate) fn var_expr(&self, var: VarId) -> Option<ExprId> {
        (0..self.p.exprs.len() as u32).map(ExprId).find(|&e| self.p.exprs.expr(e) == Expr::Var(var))
    }

    /// The value of an expression outside of all leaves.
    pub(crate) fn value(&mut self, e: ExprId) -> Option<Sum> {
        self.eval.value(e)
    }

    /// The sites of a leaf: a `ForAll`, or what a statement does without its nested blocks.
    pub(crate) fn leaf(&mut self, stmt: &Stmt) -> Vec<Site> {
        self.guards.clear();
        self.guards.push(Guard { mask: Lanes::uniform(1), sure: Sure::Always });
        self.sides.clear();
        self.seen.clear();
        self.team = Team::Everyone;
        walk::direct(&stmt.kind).for_each(|e| self.reads(e, 0, stmt.span));
        let StmtKind::ForAll { var, n, body, .. } = &stmt.kind else {
            self.target(stmt, 0);
            return std::mem::take(&mut self.found);
        };
        if self.enter_all(*var, *n).is_some() {
            self.team = Team::Threads(self.eval.extents.len());
            self.block(body, 0);
            self.leave();
        } else {
            self.team = Team::Unknown;
            self.unknown(*var);
            let guard = self.doubtful(0);
            self.block(body, guard);
        }
        std::mem::take(&mut self.found)
    }

    fn block(&mut self, block: &Block, guard: GuardId) {
        block.iter().for_each(|stmt| self.stmt(stmt, guard));
    }

    fn stmt(&mut self, stmt: &Stmt, guard: GuardId) {
        let span = stmt.span;
        walk::direct(&stmt.kind).for_each(|e| self.reads(e, guard, span));
        match &stmt.kind {
            StmtKind::Let { var, value } => self.name(*var, *value),
            StmtKind::If { cond, then, els } => {
                for (side, truth) in [(then, 1), (els, 0)] {
                    if !side.is_empty() {
                        let inner = self.narrowed(guard, *cond, truth);
                        self.block(side, inner);
                    }
                }
            }
            StmtKind::SeqFor { var, start, end, step, body } => {
                if self.enter(*var, *start, *end, *step).is_some() {
                    self.block(body, guard);
                    self.leave();
                } else if let Some(inner) = self.triangle(*var, (*start, *end, *step), guard) {
                    self.block(body, inner);
                    self.leave();
                } else {
                    self.unknown(*var);
                    let inner = self.doubtful(guard);
                    self.block(body, inner);
                }
            }
            StmtKind::SeqWhile { head, body, .. } => {
                self.block(head, guard);
                let inner = self.doubtful(guard);
                self.block(body, inner);
            }
            _ => {
                self.target(stmt, guard);
                let inner = self.doubtful(guard);
                for nested in walk::nested(&stmt.kind) {
                    self.block(nested, inner);
                }
            }
        }
    }

    /// A loop whose number of rounds differs between lanes: as many as any has, those too many guarded.
    fn triangle(
        &mut self,
        var: VarId,
        (start, end, step): (ExprId, ExprId, ExprId),
        guard: GuardId,
    ) -> Option<GuardId> {
        let (start, step) = (self.p.exprs.as_u32(start)?, self.p.exprs.as_u32(step).filter(|&s| s > 0)?);
        let end = self.eval.value(end)?.as_known()?.clone();
        let depth = end.depth();
        let most = end.spread(&self.eval.extents, depth).iter().copied().max()?;
        self.eval.enter(var, most.saturating_sub(start).div_ceil(step), start, step);
        let lanes = lanes_of(&self.eval.extents);
        let dim = self.eval.extents.len() - 1;
        if !self.eval.budget.take(lanes) || dim >= DIMS {
            self.leave();
            return None;
        }
        let at = Lanes::counter(dim, start, step);
        let extents = self.eval.extents.clone();
        let inside = bin(BinOp::Lt, ScalarType::U32, &at, &end, &extents);
        Some(self.guard(guard, &inside, &extents))
    }

    /// What the statement writes.
    fn target(&mut self, stmt: &Stmt, guard: GuardId) {
        let (array, kind, index) = match stmt.kind {
            StmtKind::Assign { array, index, .. } => (array, Kind::Write, index),
            StmtKind::Atomic { array, index, .. } => (array, Kind::Atomic, index),
            _ => return,
        };
        self.site((array, kind, index), guard, stmt.span, stmt.claim);
    }

    fn site(&mut self, (array, kind, index): (ArrayId, Kind, ExprId), guard: GuardId, span: Span, claim: Claim) {
        if !self.tracked[array.0 as usize] {
            return;
        }
        let guard = self.guards[guard].clone();
        if guard.mask.as_uniform() == Some(0) {
            return;
        }
        let at = index;
        let index = self.eval.value(index);
        let extents = self.eval.extents.clone();
        self.found.push(Site { array, kind, at, index, guard, extents, team: self.team, warp: self.warp, span, claim });
    }

    /// The loads of an expression; those of a side not chosen do not happen.
    fn reads(&mut self, e: ExprId, guard: GuardId, span: Span) {
        let tracked = |s: &Self| s.loads.of(e).iter().any(|a| s.tracked[a.0 as usize]);
        if !self.p.exprs.loads(e) || !tracked(self) || self.seen.contains(&(e, 0)) || !self.seen.insert((e, guard)) {
            return;
        }
        match self.p.exprs.expr(e) {
            Expr::Select(c, a, b) => {
                self.reads(c, guard, span);
                for (side, truth) in [(a, 1), (b, 0)] {
                    if self.p.exprs.loads(side) {
                        let inner = self.narrowed(guard, c, truth);
                        self.reads(side, inner, span);
                    }
                }
            }
            expr => {
                walk::operands(expr).for_each(|o| self.reads(o, guard, span));
                if let Expr::Load(array, index) = expr {
                    let place = self.p.exprs.place(e).or(span);
                    self.site((array, Kind::Read, index), guard, place, Claim::ByConstruction);
                }
            }
        }
    }

    /// The guard where, besides, `cond` is `truth`.
    fn narrowed(&mut self, guard: GuardId, cond: ExprId, truth: u32) -> GuardId {
        if let Some(&known) = self.sides.get(&(guard, Some((cond, truth)))) {
            return known;
        }
        let value = self.eval.value(cond);
        let extents = self.eval.extents.clone();
        let known = value.as_ref().and_then(Sum::as_known);
        let affordable = known.is_some_and(|k| {
            let depth = k.depth().max(self.guards[guard].mask.depth());
            self.eval.budget.take(lanes_of(&extents[..depth]))
        });
        let side = known.filter(|_| affordable).map(|k| match (k.as_uniform(), truth) {
            (Some(v), _) => Lanes::uniform(u32::from(v == truth)),
            (None, 1) => k.clone(),
            (None, _) => k.map(&extents, |v| v ^ 1),
        });
        let room = self.guards.len() < GUARDS;
        if side.is_none() && room && truth == 1 && self.guards[guard].sure == Sure::Always {
            let mask = self.guards[guard].mask.clone();
            self.guards.push(Guard { mask, sure: Sure::If(cond) });
            self.sides.insert((guard, Some((cond, truth))), self.guards.len() - 1);
            return self.guards.len() - 1;
        }
        let Some(side) = side.filter(|_| room) else { return self.doubtful(guard) };
        let new = self.guard(guard, &side, &extents);
        self.sides.insert((guard, Some((cond, truth))), new);
        new
    }

    /// The guard under a condition that is not known.
    fn doubtful(&mut self, outer: GuardId) -> GuardId {
        if self.guards[outer].sure == Sure::Perhaps {
            return outer;
        }
        let mask = self.guards[outer].mask.clone();
        let (next, guards) = (self.guards.len(), &mut self.guards);
        *self.sides.entry((outer, None)).or_insert_with(|| {
            guards.push(Guard { mask, sure: Sure::Perhaps });
            next
        })
    }

    /// A guard with a known condition besides.
    fn guard(&mut self, outer: GuardId, side: &Lanes, extents: &[u32]) -> GuardId {
        let Guard { mask, sure } = &self.guards[outer];
        let mask = if mask.as_uniform() == Some(1) { side.clone() } else { mask.map2(side, extents, |a, b| a & b) };
        let new = Guard { mask, sure: *sure };
        self.guards.push(new);
        self.guards.len() - 1
    }
}
