//! Finds the sites of a phase: its loads, assignments and atomic updates, with who does them and when.
//!
//! Takes the leaves of machine code (a `ForAll`, or a statement that all threads run) one by one, told of the loops
//! around them; gives the sites in program order. Arrays of one thread are left out; where order is the purpose, those that
//! nobody writes too.

use std::collections::BTreeSet;

use super::cases::{self, Condition};
use super::effects::{Effects, Loads};
use super::site::{Guard, Kind, Purpose, Site, Sure, Team, Work};
use crate::diag::Span;
use crate::level::Level;
use crate::passes::index::{Budget, Eval, Sum, Table, lanes_of};
use crate::passes::walk::{self, Touch};
use crate::program::scoped::{Around, Rounds};
use crate::program::{ArrayId, Claim, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// A guard after conditions have narrowed it.
pub(super) type GuardId = usize;

/// Rounds of loops around threads that are looked at one by one, at most.
const MAX_ROUNDS: u64 = 1 << 11;

/// How the rounds of a loop around leaves are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// One of them, whose number is not known.
    Symbol,
    /// All of them where they can be counted, as lanes.
    Lanes,
}

/// The finder.
pub(crate) struct Sites<'p> {
    pub(super) p: &'p Program,
    pub(super) eval: Eval,
    /// The counters of the loops entered.
    counters: Vec<VarId>,
    tracked: Vec<bool>,
    /// The arrays that authors write, or that are updated, and those that the leaf writes: their elements may change between two reads.
    pub(super) changing: [HashSet<ArrayId>; 2],
    pub(super) loads: Loads,
    /// The value that each `Let` gives its variable.
    pub(super) lets: HashMap<VarId, ExprId>,
    team: Team,
    warp: Option<usize>,
    pub(super) guards: Vec<Guard>,
    /// The guard under another where a condition holds (1), does not (0), or (`None`) nothing is known.
    pub(super) sides: HashMap<(GuardId, Option<(ExprId, u32)>), GuardId>,
    pub(super) seen: HashSet<(ExprId, GuardId)>,
    pub(super) found: Vec<Site>,
    pub(super) purpose: Purpose,
    /// How many loops around have a number of rounds that is not known.
    pub(super) open: u32,
    pub(super) work: Vec<Work>,
    /// The conditions of each [`Sure::Case`].
    pub(super) cases: Vec<Vec<Condition>>,
    /// What conditions compare with a limit.
    pub(super) compared: HashMap<ExprId, Sum>,
    /// The loads of first elements of several that are copied at once, and how many these are.
    copied: HashMap<ExprId, u32>,
}

impl<'p> Sites<'p> {
    pub(crate) fn new(p: &'p Program, purpose: Purpose, budget: Budget) -> Sites<'p> {
        let loads = Loads::new(&p.exprs);
        let effects = Effects::of_block(&p.body, &loads);
        let written: BTreeSet<ArrayId> = effects.writes.union(&effects.atomics).copied().collect();
        let tracked = (0..p.arrays.len() as u32).map(ArrayId).map(|a| match p.array(a).space {
            Space::Shared(_) => true,
            Space::Global(_) => purpose == Purpose::Costs || written.contains(&a),
            Space::Local | Space::Lanes | Space::Registers => false,
        });
        let tracked = tracked.collect();
        Sites {
            p,
            eval: Eval::new(budget),
            counters: Vec::new(),
            tracked,
            changing: [
                cases::written(&p.body, |kind, claim| kind == Kind::Atomic || claim != Claim::ByConstruction),
                HashSet::default(),
            ],
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
            cases: Vec::new(),
            compared: HashMap::default(),
            copied: if purpose == Purpose::Costs { copied(p) } else { HashMap::default() },
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

    /// The name for a value in the next leaves that a statement gives, if it gives one.
    pub(crate) fn name_of(&mut self, stmt: &Stmt) {
        if let StmtKind::Let { var, value } = stmt.kind {
            self.name(var, value);
        }
    }

    /// Enters a loop around the next leaves; whether its rounds are lanes, so that it must be left again. A loop over warps has
    /// lanes wherever their number is known.
    pub(crate) fn enter_around(&mut self, around: Around, look: Look) -> bool {
        let Around::Count { var, end, rounds } = around else { return false };
        let lanes = match (rounds, look) {
            (Rounds::Instances(Level::Warp), _) => self.enter_warps(var, end),
            (Rounds::InTurn { start, step }, Look::Lanes) => self.enter(var, start, end, step),
            (Rounds::Instances(_), Look::Lanes) => self.enter_all(var, end),
            (_, Look::Symbol) => None,
        };
        match rounds {
            _ if lanes.is_some() => {}
            // Which warp it is says more than a number: its lanes are looked at, or nothing is.
            Rounds::Instances(Level::Warp) => self.unknown(var),
            _ => self.symbol(var),
        }
        lanes.is_some()
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

    pub(super) fn begin(&mut self, var: VarId, n: u32, start: u32, step: u32) {
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
        let asked = |e: ExprId| matches!(self.p.exprs.expr(e), Expr::Var(var) if vars.contains(&var));
        self.made_of(exprs).into_iter().any(asked)
    }

    /// The value of an expression outside of all leaves.
    pub(crate) fn value(&mut self, e: ExprId) -> Option<Sum> {
        self.eval.value(&self.p.exprs, e)
    }

    /// The sites of a leaf: a `ForAll`, or what a statement does without its nested blocks.
    pub(crate) fn leaf(&mut self, stmt: &Stmt) -> Vec<Site> {
        self.guards.clear();
        self.guards.push(Guard { mask: Table::uniform(1), sure: Sure::Always, by_rest: None });
        self.sides.clear();
        self.seen.clear();
        self.team = Team::Everyone;
        self.changing[1] = cases::written(std::slice::from_ref(stmt), |_, _| true);
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

    /// Enters one round of a loop, in which the counter is `at`.
    pub(crate) fn enter_round(&mut self, var: VarId, at: u32) {
        self.begin(var, 1, at, 1);
    }

    /// What the statement writes.
    pub(super) fn target(&mut self, stmt: &Stmt, guard: GuardId) {
        if let Some(touch) = walk::touch(&stmt.kind) {
            self.site(touch, None, guard, stmt.span, stmt.claim);
        }
    }

    /// What `load`, or a statement, touches.
    fn site(&mut self, touch: Touch, load: Option<ExprId>, guard: GuardId, span: Span, claim: Claim) {
        let Touch { array, kind, index: at, width } = touch;
        if !self.tracked[array.0 as usize] {
            return;
        }
        let guard = self.guards[guard].clone();
        if guard.mask.as_uniform() == Some(0) {
            return;
        }
        let index = self.eval.value(&self.p.exprs, at);
        let wanted = index.is_none() && self.purpose == Purpose::Order;
        let by_data = if wanted { self.by_data(at, load, guard.sure) } else { Vec::new() };
        let turned = wanted.then(|| self.turned(at)).flatten();
        let (extents, counters) = (self.eval.extents().to_vec(), self.counters.clone());
        let (team, warp, open) = (self.team, self.warp, self.open > 0);
        self.found.push(Site {
            array,
            kind,
            at,
            width,
            index,
            by_data,
            turned,
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
    pub(super) fn reads(&mut self, e: ExprId, guard: GuardId, span: Span) {
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
                    let width = self.copied.get(&e).copied().unwrap_or(1);
                    let touch = Touch { array, kind: Kind::Read, index, width };
                    self.site(touch, Some(e), guard, place, Claim::ByConstruction);
                }
            }
        }
    }
}

/// How many elements each copy takes, by the load of the first.
fn copied(p: &Program) -> HashMap<ExprId, u32> {
    let mut found = HashMap::default();
    walk::each(&p.body, &mut |stmt| {
        if let StmtKind::Copy { value, count, .. } = stmt.kind {
            found.insert(value, count);
        }
    });
    found
}
