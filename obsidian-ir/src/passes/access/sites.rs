//! Finds the sites of a phase: its loads, assignments and atomic updates, with who does them and when.
//!
//! Takes the leaves of machine code (a `ForAll`, or a statement that all threads run) one by one, told of the loops
//! around them; gives the sites in program order. Arrays of one thread are left out; where order is the purpose, those that
//! nobody writes too.

use std::collections::BTreeSet;

use super::effects::{Effects, Loads};
use super::sides;
use super::site::{Guard, Kind, Purpose, Site, Sure, Team, Work};
use crate::diag::Span;
use crate::passes::index::{Budget, Eval, MAX_LOOPS, Sum, Table, bin, lanes_of};
use crate::passes::walk::{self, Touch};
use crate::program::{ArrayId, BinOp, Block, Claim, Expr, ExprId, Program, ScalarType, Space, Stmt, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// A guard after conditions have narrowed it.
type GuardId = usize;

/// Guards of one leaf, at most.
const GUARDS: usize = 512;

/// Rounds of loops around threads that are looked at one by one, at most.
const MAX_ROUNDS: u64 = 1 << 11;

/// The finder.
pub(crate) struct Sites<'p> {
    p: &'p Program,
    eval: Eval,
    /// The counters of the loops entered.
    counters: Vec<VarId>,
    tracked: Vec<bool>,
    loads: Loads,
    /// The value that each `Let` gives its variable.
    lets: HashMap<VarId, ExprId>,
    team: Team,
    warp: Option<usize>,
    guards: Vec<Guard>,
    /// The guard under another where a condition holds (1), does not (0), or (`None`) nothing is known.
    sides: HashMap<(GuardId, Option<(ExprId, u32)>), GuardId>,
    seen: HashSet<(ExprId, GuardId)>,
    found: Vec<Site>,
    purpose: Purpose,
    /// How many loops around have a number of rounds that is not known.
    open: u32,
    work: Vec<Work>,
}

impl<'p> Sites<'p> {
    pub(crate) fn new(p: &'p Program, purpose: Purpose, budget: Budget) -> Sites<'p> {
        let loads = Loads::new(&p.exprs);
        let effects = Effects::of_block(&p.body, &loads);
        let written: BTreeSet<ArrayId> = effects.writes.union(&effects.atomics).copied().collect();
        let tracked = (0..p.arrays.len() as u32).map(ArrayId).map(|a| match p.array(a).space {
            Space::Shared(_) => true,
            Space::Global(_) => purpose == Purpose::Costs || written.contains(&a),
            Space::Local | Space::Lanes => false,
        });
        let tracked = tracked.collect();
        Sites {
            p,
            eval: Eval::new(budget),
            counters: Vec::new(),
            tracked,
            loads,
            lets: walk::lets(&p.body),
            team: Team::Everyone,
            warp: None,
            guards: Vec::new(),
            sides: HashMap::default(),
            seen: HashSet::default(),
            found: Vec::new(),
            purpose,
            open: 0,
            work: Vec::new(),
        }
    }

    /// Around the next leaves is a loop whose number of rounds is not known.
    pub(crate) fn open(&mut self) {
        self.open += 1;
    }

    /// The end of such a loop.
    pub(crate) fn close(&mut self) {
        self.open -= 1;
    }

    /// What thread code has computed in the leaves since the last call; of [`Purpose::Costs`] only.
    pub(crate) fn work(&mut self) -> Vec<Work> {
        std::mem::take(&mut self.work)
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
        self.eval.bind_value(&self.p.exprs, var, value);
    }

    /// Enters a loop around the next leaves whose rounds are lanes. `None`: their number is not known.
    pub(crate) fn enter(&mut self, var: VarId, start: ExprId, end: ExprId, step: ExprId) -> Option<u32> {
        let [start, end, step] = [start, end, step].map(|e| self.p.exprs.as_u32(e));
        let (start, step) = (start?, step.filter(|&s| s > 0)?);
        let n = end?.saturating_sub(start).div_ceil(step);
        self.begin(var, n, start, step);
        Some(n)
    }

    /// Enters the loop over the block's warps.
    pub(crate) fn enter_warps(&mut self, var: VarId, n: ExprId) -> Option<u32> {
        let n = self.enter_all(var, n)?;
        self.warp = Some(self.eval.extents().len() - 1);
        Some(n)
    }

    /// Enters a loop of `n` instances.
    pub(crate) fn enter_all(&mut self, var: VarId, n: ExprId) -> Option<u32> {
        let n = self.p.exprs.as_u32(n)?;
        self.begin(var, n, 0, 1);
        Some(n)
    }

    /// Whether as many rounds as a loop has, for each of those around it and each lane of a warp, may be looked at one by one.
    pub(crate) fn has_room(&self, end: ExprId) -> bool {
        let rounds = self.p.exprs.as_u32(end).map_or(u64::MAX, u64::from);
        lanes_of(self.eval.extents()).saturating_mul(rounds) <= MAX_ROUNDS
    }

    /// Enters a loop of `n` rounds, though it is not known how many there are.
    pub(crate) fn enter_some(&mut self, var: VarId, n: u32) {
        self.begin(var, n, 0, 1);
    }

    fn begin(&mut self, var: VarId, n: u32, start: u32, step: u32) {
        self.eval.enter(var, n, start, step);
        self.counters.push(var);
    }

    /// Leaves the loop entered last.
    pub(crate) fn leave(&mut self) {
        self.eval.leave();
        self.counters.pop();
        self.warp = self.warp.filter(|&dim| dim < self.eval.extents().len());
    }

    /// Rounds of the loops entered.
    pub(crate) fn extents(&self) -> &[u32] {
        self.eval.extents()
    }

    /// The work that is left.
    pub(crate) fn budget(&mut self) -> &mut Budget {
        &mut self.eval.budget
    }

    /// The expression that reads a variable, if there is one.
    pub(crate) fn var_expr(&self, var: VarId) -> Option<ExprId> {
        (0..self.p.exprs.len() as u32).map(ExprId).find(|&e| self.p.exprs.expr(e) == Expr::Var(var))
    }

    /// Whether one of the expressions asks for one of `vars`, through the names of values too.
    pub(crate) fn depends(&self, exprs: &[ExprId], vars: &HashSet<VarId>) -> bool {
        if vars.is_empty() {
            return false;
        }
        let mut todo = exprs.to_vec();
        let mut seen: HashSet<ExprId> = HashSet::default();
        while let Some(e) = todo.pop() {
            if !seen.insert(e) {
                continue;
            }
            match self.p.exprs.expr(e) {
                Expr::Var(var) if vars.contains(&var) => return true,
                Expr::Var(var) => todo.extend(self.lets.get(&var)),
                expr => todo.extend(walk::operands(expr)),
            }
        }
        false
    }

    /// The value of an expression outside of all leaves.
    pub(crate) fn value(&mut self, e: ExprId) -> Option<Sum> {
        self.eval.value(&self.p.exprs, e)
    }

    /// The sites of a leaf: a `ForAll`, or what a statement does without its nested blocks.
    pub(crate) fn leaf(&mut self, stmt: &Stmt) -> Vec<Site> {
        self.guards.clear();
        self.guards.push(Guard { mask: Table::uniform(1), sure: Sure::Always });
        self.sides.clear();
        self.seen.clear();
        self.team = Team::Everyone;
        walk::direct(&stmt.kind).for_each(|e| self.reads(e, 0, stmt.span));
        let StmtKind::ForAll { var, n, body, .. } = &stmt.kind else {
            self.target(stmt, 0);
            return std::mem::take(&mut self.found);
        };
        if self.enter_all(*var, *n).is_some() {
            self.team = Team::Threads(self.eval.extents().len());
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
        if self.purpose == Purpose::Costs {
            // A load that a scheduled program repeats counts again.
            self.seen.clear();
            self.computes(stmt, guard);
        }
        walk::direct(&stmt.kind).for_each(|e| self.reads(e, guard, span));
        match &stmt.kind {
            StmtKind::Let { var, value } => self.name(*var, *value),
            StmtKind::If { cond, then, els } => {
                let (from, mut between) = (self.found.len(), 0);
                for (side, truth) in [(then, 1), (els, 0)] {
                    if !side.is_empty() {
                        let inner = self.narrowed(guard, *cond, truth);
                        self.block(side, inner);
                    }
                    between = if truth == 1 { self.found.len() } else { between };
                }
                if self.purpose == Purpose::Order {
                    sides::join(&mut self.found, (from, between), [then, els], &self.guards[guard]);
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
                    self.rounds(*var, *start, *step);
                    let inner = self.doubtful(guard);
                    self.open();
                    self.block(body, inner);
                    self.close();
                }
            }
            StmtKind::SeqWhile { head, body, .. } => {
                self.open();
                self.block(head, guard);
                let inner = self.doubtful(guard);
                self.block(body, inner);
                self.close();
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

    /// Enters one round of a loop, in which the counter is `at`.
    pub(crate) fn enter_round(&mut self, var: VarId, at: u32) {
        self.begin(var, 1, at, 1);
    }

    /// The index of a loop whose number of rounds is not known: in one round all lanes are as many steps from their start.
    fn rounds(&mut self, var: VarId, start: ExprId, step: ExprId) {
        let known = self.p.exprs.as_u32(step).filter(|_| self.purpose == Purpose::Costs);
        let value = known.and_then(|step| Some((self.eval.value(&self.p.exprs, start)?, step, self.var_expr(var)?)));
        match value {
            Some((start, step, symbol)) => self.eval.bind_round(var, &start, step, symbol),
            None => self.unknown(var),
        }
    }

    /// Notes what a statement of thread code computes.
    fn computes(&mut self, stmt: &Stmt, guard: GuardId) {
        let values = match &stmt.kind {
            StmtKind::Assign { value, .. } => vec![(None, *value)],
            StmtKind::Atomic { value, expected, .. } => {
                [Some(*value), *expected].into_iter().flatten().map(|v| (None, v)).collect()
            }
            StmtKind::Let { var, value } | StmtKind::Set { var, value } | StmtKind::Shuffle { var, value, .. } => {
                vec![(Some(*var), *value)]
            }
            StmtKind::Local { var, init: Some(init) } => vec![(Some(*var), *init)],
            StmtKind::StoreVector { values, .. } => values.iter().map(|v| (None, *v)).collect(),
            _ => return,
        };
        let (mask, extents) = (self.guards[guard].mask.clone(), self.eval.extents().to_vec());
        self.work.push(Work { values, mask, extents, open: self.open > 0 });
    }

    /// A loop whose number of rounds differs between lanes: as many as any has, those too many guarded.
    fn triangle(
        &mut self,
        var: VarId,
        (start, end, step): (ExprId, ExprId, ExprId),
        guard: GuardId,
    ) -> Option<GuardId> {
        let (start, step) = (self.p.exprs.as_u32(start)?, self.p.exprs.as_u32(step).filter(|&s| s > 0)?);
        let end = self.eval.value(&self.p.exprs, end)?.as_known()?.clone();
        let depth = end.depth();
        let most = end.spread(self.eval.extents(), depth).iter().copied().max()?;
        self.begin(var, most.saturating_sub(start).div_ceil(step), start, step);
        let lanes = lanes_of(self.eval.extents());
        let dim = self.eval.extents().len() - 1;
        if !self.eval.budget.take(lanes) || dim >= MAX_LOOPS {
            self.leave();
            return None;
        }
        let at = Table::counter(dim, start, step);
        let extents = self.eval.extents().to_vec();
        let inside = bin(BinOp::Lt, ScalarType::U32, &at, &end, &extents);
        Some(self.guard(guard, &inside, &extents))
    }

    /// What the statement writes.
    fn target(&mut self, stmt: &Stmt, guard: GuardId) {
        if let Some(touch) = walk::touch(&stmt.kind) {
            self.site(touch, guard, stmt.span, stmt.claim);
        }
    }

    fn site(&mut self, touch: Touch, guard: GuardId, span: Span, claim: Claim) {
        let Touch { array, kind, index: at, width } = touch;
        if !self.tracked[array.0 as usize] {
            return;
        }
        let guard = self.guards[guard].clone();
        if guard.mask.as_uniform() == Some(0) {
            return;
        }
        let index = self.eval.value(&self.p.exprs, at);
        let (extents, counters) = (self.eval.extents().to_vec(), self.counters.clone());
        let (team, warp, open) = (self.team, self.warp, self.open > 0);
        self.found.push(Site {
            array,
            kind,
            at,
            width,
            index,
            guard,
            extents,
            counters,
            team,
            warp,
            span,
            claim,
            open,
        });
    }

    /// The loads of an expression; those on a side that is not chosen do not happen.
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
                    let touch = Touch { array, kind: Kind::Read, index, width: 1 };
                    self.site(touch, guard, place, Claim::ByConstruction);
                }
            }
        }
    }

    /// The guard where, besides, `cond` is `truth`.
    fn narrowed(&mut self, guard: GuardId, cond: ExprId, truth: u32) -> GuardId {
        if let Some(&known) = self.sides.get(&(guard, Some((cond, truth)))) {
            return known;
        }
        let value = self.eval.value(&self.p.exprs, cond);
        let extents = self.eval.extents().to_vec();
        let known = value.as_ref().and_then(Sum::as_known);
        let affordable = known.is_some_and(|k| {
            let depth = k.depth().max(self.guards[guard].mask.depth());
            self.eval.budget.take(lanes_of(&extents[..depth]))
        });
        let side = known.filter(|_| affordable).map(|k| match (k.as_uniform(), truth) {
            (Some(v), _) => Table::uniform(u32::from(v == truth)),
            (None, 1) => k.clone(),
            (None, _) => k.map(&extents, |v| v ^ 1),
        });
        let room = self.guards.len() < GUARDS;
        // Only proofs use the other side; costs treat all doubtful lanes alike.
        let told = truth == 1 || self.purpose == Purpose::Order;
        if side.is_none() && room && told && self.guards[guard].sure == Sure::Always {
            let mask = self.guards[guard].mask.clone();
            let sure = if truth == 1 { Sure::If(cond) } else { Sure::Unless(cond) };
            self.guards.push(Guard { mask, sure });
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
    fn guard(&mut self, outer: GuardId, side: &Table, extents: &[u32]) -> GuardId {
        let Guard { mask, sure } = &self.guards[outer];
        let mask = if mask.as_uniform() == Some(1) { side.clone() } else { mask.map2(side, extents, |a, b| a & b) };
        let new = Guard { mask, sure: *sure };
        self.guards.push(new);
        self.guards.len() - 1
    }
}
