//! The plan for one list of statements: how often each expression is used in it, and which `Select`s must branch.

use std::collections::BTreeSet;

use super::facts::{self, Change, Facts, Known};
use crate::passes::walk;
use crate::program::{Block, Expr, ExprId, Exprs, StmtKind};
use crate::tables::{HashMap, HashSet};

/// The plan for one list. Statements are numbered from 0.
#[derive(Debug)]
pub(super) struct Plan {
    /// Edges into each expression that has operands, from values that the list is sure to evaluate and from guarded ones.
    uses: HashMap<ExprId, u32>,
    /// The `Select`s that guard a load not done before, by statement.
    branches: HashSet<(usize, ExprId)>,
}

impl Plan {
    /// Walks the list in order, starting with the expressions that are `known` before it.
    pub(super) fn new(exprs: &Exprs, facts: &Facts, known: &Known<ExprId>, list: &Block) -> Plan {
        let plan = Plan { uses: HashMap::default(), branches: HashSet::default() };
        let (changed, guarded) = (HashSet::default(), HashSet::default());
        let mut w = Planner { exprs, facts, known, plan, seen: Known::default(), changed, guarded };
        for (at, stmt) in list.iter().enumerate() {
            // The test of a `SeqWhile` belongs to its head; trip counts of parallel loops stay as they are.
            if !matches!(stmt.kind, StmtKind::SeqWhile { .. } | StmtKind::ForAll { .. } | StmtKind::DistrPar { .. }) {
                w.statement(at, walk::direct(&stmt.kind).collect());
            }
            facts::change_of(&stmt.kind).into_iter().for_each(|c| w.change(c));
            walk::nested(&stmt.kind).flat_map(facts::changes).for_each(|c| w.change(c));
        }
        w.plan
    }

    /// How often an expression is used.
    pub(super) fn uses(&self, id: ExprId) -> u32 {
        self.uses.get(&id).copied().unwrap_or(0)
    }

    /// Whether a `Select` of statement `at` must become a branch.
    pub(super) fn branches(&self, at: usize, id: ExprId) -> bool {
        self.branches.contains(&(at, id))
    }

    /// The expressions that must be evaluated for `root` in statement `at`, operands first, without those that have a
    /// name or no operands.
    pub(super) fn needed(
        &self,
        exprs: &Exprs,
        facts: &Facts,
        known: &Known<ExprId>,
        root: ExprId,
        at: usize,
    ) -> BTreeSet<ExprId> {
        let mut set = BTreeSet::new();
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            let expr = exprs.expr(id);
            if walk::is_leaf(expr) || known.has(id) || !set.insert(id) {
                continue;
            }
            match expr {
                Expr::Select(c, a, b) if self.branches(at, id) => {
                    todo.push(c);
                    todo.extend(facts.sure_both(a, b));
                }
                e => todo.extend(walk::operands(e)),
            }
        }
        set
    }
}

struct Planner<'a> {
    exprs: &'a Exprs,
    facts: &'a Facts,
    known: &'a Known<ExprId>,
    plan: Plan,
    /// Expressions that the list is sure to have evaluated and that nothing has changed since.
    seen: Known<()>,
    /// What the list has changed: expressions that depend on it are no longer known.
    changed: HashSet<Change>,
    /// What was met behind a guard.
    guarded: HashSet<ExprId>,
}

impl Planner<'_> {
    fn change(&mut self, change: Change) {
        self.seen.change(change);
        self.changed.insert(change);
    }

    fn at_hand(&self, id: ExprId) -> bool {
        self.seen.has(id) || self.known.has(id) && !self.facts.depends(id).iter().any(|d| self.changed.contains(d))
    }

    /// What has no operands costs nothing, so its uses are not counted.
    fn use_of(&mut self, id: ExprId) {
        if !self.is_leaf(id) {
            *self.plan.uses.entry(id).or_insert(0) += 1;
        }
    }

    fn is_leaf(&self, id: ExprId) -> bool {
        walk::is_leaf(self.exprs.expr(id))
    }

    fn statement(&mut self, at: usize, roots: Vec<ExprId>) {
        roots.iter().for_each(|&r| self.use_of(r));
        let mut guards = BTreeSet::new();
        self.evaluate(roots, &mut guards);
        // A guard whose loads are done anyway guards nothing. Removing it may cause the loads of other guards to be
        // done.
        loop {
            let mut moved = false;
            for id in guards.clone() {
                let Expr::Select(_, a, b) = self.exprs.expr(id) else { continue };
                if !self.new_load(a) && !self.new_load(b) {
                    guards.remove(&id);
                    self.use_of(a);
                    self.use_of(b);
                    self.evaluate(vec![a, b], &mut guards);
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        for id in guards {
            self.plan.branches.insert((at, id));
            if let Expr::Select(_, a, b) = self.exprs.expr(id) {
                self.behind_guard(vec![a, b]);
            }
        }
    }

    /// Marks all expressions that evaluating `todo` is sure to evaluate, and collects the guards on the way.
    fn evaluate(&mut self, mut todo: Vec<ExprId>, guards: &mut BTreeSet<ExprId>) {
        while let Some(id) = todo.pop() {
            if self.is_leaf(id) || self.at_hand(id) {
                continue;
            }
            self.seen.learn(self.facts, id, ());
            match self.exprs.expr(id) {
                Expr::Select(c, a, b) if self.facts.loads(a) || self.facts.loads(b) => {
                    self.use_of(c);
                    todo.push(c);
                    todo.extend(self.facts.sure_both(a, b));
                    guards.insert(id);
                }
                e => {
                    for x in walk::operands(e) {
                        self.use_of(x);
                        todo.push(x);
                    }
                }
            }
        }
    }

    /// Whether evaluating `root` would load something that has not been loaded.
    fn new_load(&self, root: ExprId) -> bool {
        let mut met = HashSet::default();
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            if !self.facts.loads(id) || self.at_hand(id) || !met.insert(id) {
                continue;
            }
            if matches!(self.exprs.expr(id), Expr::Load(..)) {
                return true;
            }
            todo.extend(walk::operands(self.exprs.expr(id)));
        }
        false
    }

    /// Counts uses behind a guard, so that an expression that is evaluated anyway gets a name for them.
    fn behind_guard(&mut self, mut todo: Vec<ExprId>) {
        todo.iter().for_each(|&r| self.use_of(r));
        while let Some(id) = todo.pop() {
            if self.is_leaf(id) || self.at_hand(id) || !self.guarded.insert(id) {
                continue;
            }
            for x in walk::operands(self.exprs.expr(id)) {
                self.use_of(x);
                todo.push(x);
            }
        }
    }
}
